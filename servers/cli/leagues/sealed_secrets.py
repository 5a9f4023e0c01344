"""Secrets of a league, sealed with a passphrase: AES-256-GCM, its key by scrypt."""

import base64
import json
import os
from collections.abc import Mapping
from typing import Any, Final, cast

from servers.launcher.run_options import PlanError

COST: Final = {"n": 2**17, "r": 8, "p": 1}
"""Cost of scrypt as OWASP has it: 128 MiB and about half a second for each guess."""
HIGHEST_COST: Final = {"n": 2**19, "r": 8, "p": 2}
"""Limit of what a file may ask for: 512 MiB."""
SALT_BYTES, NONCE_BYTES, KEY_BYTES = 16, 12, 32


class WrongPassphrase(Exception):
    """The passphrase does not open the secrets, or they belong to other records."""


def seal(secrets: Mapping[str, str], passphrase: str, bound_to: bytes) -> bytes:
    """Seal secrets by name so that they open only with `bound_to` beside them."""
    salt, nonce = os.urandom(SALT_BYTES), os.urandom(NONCE_BYTES)
    sealed = _cipher(passphrase, salt, COST).encrypt(nonce, json.dumps(dict(secrets)).encode(), bound_to)
    parts = {"salt": salt, "nonce": nonce, "sealed": sealed}
    text = {name: base64.b64encode(part).decode() for name, part in parts.items()}
    return json.dumps({"cipher": "AES-256-GCM", "kdf": "scrypt", **COST, **text}).encode()


def unseal(document: bytes, passphrase: str, bound_to: bytes) -> dict[str, str]:
    """Open sealed secrets.

    Raises:
        WrongPassphrase: The passphrase is another one, or they were changed.
        ValueError: They do not have their form.
    """
    values = cast("dict[str, Any]", json.loads(document))
    try:
        cost = {name: int(values[name]) for name in COST}
        salt, nonce, sealed = (base64.b64decode(values[name], validate=True) for name in ("salt", "nonce", "sealed"))
    except (KeyError, TypeError) as error:
        raise ValueError(f"the sealed secrets do not have their form: {error!r}") from error
    if any(not 0 < cost[name] <= HIGHEST_COST[name] for name in COST):
        raise ValueError("the sealed secrets ask for more memory than any backup does")
    cipher = _cipher(passphrase, salt, cost)
    from cryptography.exceptions import InvalidTag

    try:
        opened = cipher.decrypt(nonce, sealed, bound_to)
    except InvalidTag as error:
        raise WrongPassphrase from error
    return {str(name): str(text) for name, text in json.loads(opened).items()}


def _cipher(passphrase: str, salt: bytes, cost: Mapping[str, int]) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    except ImportError as error:
        raise PlanError("sealed secrets need a library: pip install 'mcp-agent-league[backup]'") from error
    return AESGCM(Scrypt(salt=salt, length=KEY_BYTES, **cost).derive(passphrase.encode()))
