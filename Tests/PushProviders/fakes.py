"""Starts the fakes for checks, with an authority and a server's certificate of the checks' own."""

import atexit
import datetime
import ipaddress
import json
import subprocess
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HERE = Path(__file__).parent


def write_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """A new P-256 key as PKCS #8, the form of Apple's .p8 files."""
    key = ec.generate_private_key(ec.SECP256R1())
    path.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return key


def write_certificates(folder: Path) -> None:
    """ca.pem, and server.pem with server.key for localhost and 127.0.0.1."""
    now = datetime.datetime.now(datetime.UTC)
    authority, server = write_key(folder / "ca.key"), write_key(folder / "server.key")
    issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "authority")])

    def builder(name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        return (x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(key.public_key())
                .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
                .not_valid_after(now + datetime.timedelta(days=2)))

    root = builder(issuer, authority).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    (folder / "ca.pem").write_bytes(root.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    names = x509.SubjectAlternativeName(
        [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    leaf = builder(name, server).add_extension(names, critical=False)
    (folder / "server.pem").write_bytes(leaf.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))


class Fake:
    """A running fake."""

    def __init__(self, name: str, folder: Path, *options: str):
        self.log_path = folder / f"{name}-{id(self)}.log"
        self.process = subprocess.Popen(
            [sys.executable, "-B", HERE / f"{name}.py", "--certificate", folder / "server.pem",
             "--key", folder / "server.key", "--log", self.log_path, *options], stdout=subprocess.PIPE, text=True)
        # A check that fails in the middle leaves no fake.
        atexit.register(self.process.kill)
        self.port = int(self.process.stdout.readline())
        self.url = f"https://localhost:{self.port}"

    def __enter__(self) -> "Fake":
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.status = self.process.wait(10)

    def log(self, event: str) -> list[dict]:
        lines = [json.loads(line) for line in self.log_path.read_text().splitlines()]
        return [line for line in lines if line["event"] == event]
