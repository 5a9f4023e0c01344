"""Free space for a league's records, files and logs."""

import shutil
from pathlib import Path

LEAST_FREE_BYTES = 500_000_000
"""Records of a match are about 3 KB and its files 5 KB: room for some 60,000 matches."""


def existing_folder(folder: Path) -> Path:
    """A folder, or the first above it that is there."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())


def free_bytes(folder: Path) -> int:
    """Free space of the disk of a folder that is there."""
    return shutil.disk_usage(folder).free
