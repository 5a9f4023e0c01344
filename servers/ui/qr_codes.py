"""QR codes of join links."""

import io

import segno


def as_svg(text: str) -> str:
    """A code as an SVG element of the class `qr`, black on white in dark pages too."""
    return segno.make_qr(text).svg_inline(omitsize=True, light="#fff", svgclass="qr")


def as_blocks(text: str) -> str:
    """A code of half blocks, for terminals with light letters on a dark ground."""
    target = io.StringIO()
    segno.make_qr(text).terminal(target, compact=True)
    return target.getvalue()
