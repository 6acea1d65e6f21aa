"""The PROXY protocol in front of TLS, and incomplete headers, handshakes and requests, on a TLS listener of the real process."""

import asyncio
import os
import ssl
import subprocess
import tempfile
import time

from house import House
from Trials.device import Peer, frame, upgrade
from Trials.verdict import Verdict

V2 = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\2\x07\x0a\0\0\1\x1f\x90\0\x50"
V2_LOCAL = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"
GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"


async def over_TLS(port, first):
    """The answer to a request over TLS after some plain bytes; None when TLS fails."""
    peer = await Peer.open(port)
    peer.write(first)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        await asyncio.wait_for(peer.writer.start_tls(context), 5)
        peer.write(GET)
        status, _, _ = await peer.answer(5)
        return status, peer
    except (OSError, ssl.SSLError, TimeoutError):
        peer.close()
        return None, peer


async def lasts(port, first, drip, patience=14):
    """How long a connection lives that begins with these bytes and then sends a byte a second; None when it lives too long."""
    peer = await Peer.open(port, first)
    began = time.monotonic()

    async def drop():
        while drip and await peer.send(drip):
            await asyncio.sleep(1)
    dropping = asyncio.create_task(drop())
    try:
        async with asyncio.timeout(patience):
            while await peer.reader.read(65536):
                pass
    except TimeoutError:
        return None
    except OSError:
        pass
    finally:
        dropping.cancel()
        peer.close()
    return time.monotonic() - began


async def behind_proxies(options):
    verdict = Verdict()
    check = verdict.check
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"], check=True, capture_output=True)
        os.chmod(f"{folder}/key.pem", 0o600)
        secure = ["--tls-certificate", f"{folder}/cert.pem", "--tls-key", f"{folder}/key.pem"]
        house = House(options.binary, *secure, "--proxy-protocol", "--connections-per-address", "1", "--log-level", "error")
        plain = House(options.binary, "--log-level", "error")
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    session = await Peer.session(plain.port, plain.token("alice"), "stalls")
    partial = frame(1, b'{"id":1,"type":"ping"}')[:-4]
    session.write(partial)
    stalls = [
        ("a TLS handshake behind a PROXY header", lasts(house.port, V2_LOCAL + hello, b"")),
        ("the same, a byte a second", lasts(house.port, V2_LOCAL + hello, b"\x01")),
        ("a PROXY header", lasts(house.port, V2[:-4], b"")),
        ("the same, a byte a second", lasts(house.port, b"PROXY ", b"")),
        ("nothing", lasts(plain.port, b"", b"")),
        ("a head, a byte a second", lasts(plain.port, b"GET / HTTP/1.1\r\nX: ", b"y")),
        ("a second request on a connection that is kept, a byte a second", lasts(plain.port, GET + b"G", b"E")),
        ("a body, a byte a second", lasts(plain.port, b"POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n", b"y")),
        ("a frame of a WebSocket", lasts(plain.port, upgrade() + partial, b"")),
        ("the same, a byte a second", lasts(plain.port, upgrade() + frame(2, b"", announced=99), b"y")),
        ("a message, a piece a second", lasts(plain.port, upgrade() + frame(1, b"{", final=False), frame(0, b" ", final=False))),
    ]
    stalling = asyncio.gather(*(stall for _, stall in stalls))
    status, first = await over_TLS(house.port, b"PROXY TCP4 192.0.2.7 10.0.0.1 5000 443\r\n")
    check("TLS behind a PROXY header of version 1 is served", status == 200)
    status, _ = await over_TLS(house.port, V2)
    check("a second connection of the address it names is not", status is None)
    first.close()
    await asyncio.sleep(0.2)
    status, second = await over_TLS(house.port, V2)
    check("after version 2, when the first has ended, it is", status == 200)
    status, third = await over_TLS(house.port, V2_LOCAL)
    check("a health check of the proxy itself is served", status == 200)
    status, _ = await over_TLS(house.port, b"")
    check("TLS without a PROXY header is not served", status is None)
    for (name, _), took in zip(stalls, await stalling):
        check(f"{name}, never finished: ended after {took and round(took, 1)} s", took is not None and took <= 10.5)
    check(f"a session that stalls inside a frame: closed with {(code := await session.end(1))}", code == 4509)
    for peer in (second, third, session):
        peer.close()
    check("both servers stop in order", house.stop() == 0 and plain.stop() == 0)
    return verdict.passed, verdict.failed
