"""A certificate authority made on the spot."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Authority:
    """Somebody who signs certificates.

    Attributes:
        folder: Where they are written.
        name: What it is called.
    """

    folder: Path
    name: str = "league-test-authority"

    def __post_init__(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        object.__setattr__(self, "_key", key)
        subject = _name(self.name)
        cert = _builder(subject, subject, key).add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        cert = cert.add_extension(usage, True).add_extension(_identifier(key), False)
        self.file.write_bytes(cert.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    @property
    def file(self) -> Path:
        """The certificate that others have to trust."""
        return self.folder / f"{self.name}.pem"

    def issue(self, host: str = "localhost", *, days: int = 1) -> tuple[Path, Path]:
        """A certificate for a host, and its key."""
        key: ec.EllipticCurvePrivateKey = ec.generate_private_key(ec.SECP256R1())
        own: ec.EllipticCurvePrivateKey = self._key  # type: ignore[attr-defined]
        names = [x509.DNSName(host)] if not host[0].isdigit() else [x509.IPAddress(ip_address(host))]
        cert = (
            _builder(_name(host), _name(self.name), key, days)
            .add_extension(x509.SubjectAlternativeName(names), False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(own.public_key()), False)
            .add_extension(_identifier(key), False)
            .sign(own, hashes.SHA256())
        )
        files = self.folder / f"{host}-{days}.pem", self.folder / f"{host}-{days}.key"
        files[0].write_bytes(cert.public_bytes(serialization.Encoding.PEM))
        form = serialization.PrivateFormat.PKCS8
        files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
        return files


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _identifier(key: ec.EllipticCurvePrivateKey) -> x509.SubjectKeyIdentifier:
    return x509.SubjectKeyIdentifier.from_public_key(key.public_key())


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int = 1
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    begin, end = sorted((now - timedelta(days=2), now + timedelta(days=days)))
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
    )
