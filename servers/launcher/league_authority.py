"""A certificate authority of one league, for agents on nodes of a cluster."""

import ipaddress
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

LASTS = timedelta(days=398)  # the longest that the browsers' baseline allows a server's certificate
SKEW = timedelta(days=1)
"""Tolerance for clocks of nodes that are behind."""


class TlsText(NamedTuple):
    """A server's certificate, its key and its clients' authorities, in PEM."""

    cert: str
    key: str
    ca: str


class LeagueAuthority:
    """Issues certificates for addresses; its key never leaves this process."""

    def __init__(self, now: datetime) -> None:
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec

        self._x509, self._now = x509, now
        self._key, self._new_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "league authority")])
        made = self._builder(self._name, self._key.public_key(), authority=True)
        self._certificate = self._sign(made)

    def issue(self, addresses: Iterable[str]) -> TlsText:
        """A certificate for a server that is called at these addresses."""
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        x509, key = self._x509, self._new_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "league agent")])
        hosts = [x509.IPAddress(ipaddress.ip_address(address)) for address in dict.fromkeys(addresses)]
        made = self._builder(name, key.public_key(), authority=False)
        made = made.add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        made = made.add_extension(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        pem = self._sign(made).public_bytes(Encoding.PEM).decode()
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
        return TlsText(pem, secret, self._certificate.public_bytes(Encoding.PEM).decode())

    def _builder(self, name: Any, public_key: Any, *, authority: bool) -> Any:
        x509 = self._x509
        made = x509.CertificateBuilder(issuer_name=self._name, subject_name=name, public_key=public_key)
        made = made.serial_number(x509.random_serial_number())
        made = made.not_valid_before(self._now - SKEW).not_valid_after(self._now + LASTS)
        made = made.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        made = made.add_extension(issuer, critical=False)
        use = dict.fromkeys(("content_commitment", "key_encipherment", "data_encipherment", "key_agreement"), False)
        use |= dict.fromkeys(("encipher_only", "decipher_only"), False)
        usage = x509.KeyUsage(**use, digital_signature=not authority, key_cert_sign=authority, crl_sign=authority)
        return made.add_extension(usage, critical=True)

    def _sign(self, made: Any) -> Any:
        from cryptography.hazmat.primitives.hashes import SHA256

        return made.sign(self._key, SHA256())
