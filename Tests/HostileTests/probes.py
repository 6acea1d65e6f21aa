"""Single wrong requests, each with the exact code of the expected answer.

A row has the sent bytes and the expected answer. For HTTP: the status of the answer (0 for none), or of several answers
to requests that are sent together. For WebSocket: the close code, or the code of an error reply, or `ok`.
"""

import asyncio
import base64
import json
import time

from attacks import deflated
from house import House
from Trials.device import Peer, frame, text, upgrade

H = "Host: localhost\r\n"


def get(target="/healthz", fields="", method="GET", version="HTTP/1.1", host=H):
    return f"{method} {target} {version}\r\n{host}{fields}\r\n".encode("latin-1")


def post(fields, body=b"", target="/v1/commands", token=True):
    authorization = "Authorization: Bearer TOKEN\r\n" if token else ""
    return f"POST {target} HTTP/1.1\r\n{H}{authorization}{fields}\r\n".encode("latin-1") + body


PING = b'{"type":"ping"}'
CHUNKED = "Transfer-Encoding: chunked\r\n"
CHUNKS = b"f\r\n" + PING + b"\r\n0\r\n\r\n"
NEXT = get()

# The sent bytes, and the statuses of all answers. If the end of a request is not certain, the connection ends after its
# answer.
HTTP = {
    "request lines": [
        (get(), [200]), (get(method="HEAD"), [200]), (get(method="POST"), [405]), (get(method="OPTIONS"), [405]),
        (get(method="get"), [405]), (get(method="TRACE"), [405]), (get(method="BREW"), [405]),
        (get(method="CONNECT", target="a:1"), [501, 405]), (get("*", method="OPTIONS"), [400, 404, 405]),
        (b"GET /healthz\r\n" + H.encode() + b"\r\n", [400]), (b"GET  /healthz HTTP/1.1\r\n" + H.encode() + b"\r\n", [400]),
        (b"GET\t/healthz HTTP/1.1\r\n" + H.encode() + b"\r\n", [400]), (b" GET / HTTP/1.1\r\n" + H.encode() + b"\r\n", [400]),
        (b"GET / HTTP/1.1 \r\n" + H.encode() + b"\r\n", [400]), (get(version="HTTP/1.2"), [505, 200]),
        (get(version="HTTP/2.0"), [505]), (get(version="HTTP/0.9"), [505]), (get(version="http/1.1"), [400]),
        (get(version="HTTP/1.10"), [400]), (get(version="HTTP/11"), [400]), (get(version="FTP/1.1"), [400]),
        (get(method="G\x00T"), [400]), (get(method="G(T"), [400]), (get(method="M" * 200), [400, 405, 501]),
        (get(method="M" * 9000), [400, 414, 501]),
        (get("/\x00"), [400]), (get("/\x7f"), [400]), (get("/\xff"), [400]), (get("/a b"), [400]), (get("healthz"), [400]),
        (get("/" + "x" * 9000), [414]), (get("/?" + "x" * 9000), [414]), (get("/healthz#x"), [400]),
        (get("/%zz"), [400, 404]), (get("/%"), [400, 404]), (get("//healthz"), [404]), (get("/healthz/"), [404, 200]),
        (get("http://localhost/healthz"), [200]), (get("http://other/healthz"), [200, 421]), (get("http:///healthz"), [400]),
        (get("ftp://localhost/healthz"), [400]), (b"\r\n" + get(), [200]), (b"\r\n\r\n" + get(), [400]), (b"\n" + get(), [400]),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505, 400]), (b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00\r\n\r\n", [400]),
        (b"\x80\x80\x01\x03\x01\r\n", [400]), (b"SSH-2.0-OpenSSH\r\n", [400]), (b"PROXY TCP4 1.1.1.1 1.1.1.1 1 1\r\n" + get(), [400]),
    ],
    # Their ends are known: the connection may stay, and the audit has a row for a request with a token.
    "paths": [
        (get("/%00"), [400]), (get("/../healthz"), [400]), (get("/v1/../healthz"), [400]), (get("/%2e%2e/healthz"), [400]),
        (get("/v1/triggers/%0A"), [400]), (get("/./healthz"), [400]), (get("/v1/documents/a/%2e"), [400]),
    ],
    "header fields": [
        (get(host=""), [400]), (get(host="Host: \r\n"), [400, 200]), (get(host=H + H), [400]), (get(host=H + "host: other\r\n"), [400]),
        (get(host="Host: a b\r\n"), [400]), (get(host="Host: a/b\r\n"), [400]), (get(host="Host: a@b\r\n"), [400]),
        (get(host="Host: a:port\r\n"), [400]), (get(host="Host: [::1]\r\n"), [200]), (get(host="Host: a, b\r\n"), [400]),
        (get(fields="X\r\n"), [400]), (get(fields=": x\r\n"), [400]), (get(fields="X : y\r\n"), [400]), (get(fields=" X: y\r\n"), [400]),
        (get(fields="X: y\r\n folded\r\n"), [400]), (get(fields="X: y\r\n\tfolded\r\n"), [400]), (get(fields="X: a\x00b\r\n"), [400]),
        (get(fields="X: a\rb\r\n"), [400]), (get(fields="X: a\nY: b\r\n"), [400]), (get(fields="X: a\x0bb\r\n"), [400]),
        (get(fields="X: a\x7fb\r\n"), [400]), (get(fields="X\x80: a\r\n"), [400]), (get(fields="X(Y): a\r\n"), [400]),
        (get(fields="X: \xe9\r\n"), [200, 400]), (get(fields="X:\ty \t\r\n"), [200]), (get(fields="X:\r\n"), [200]),
        (get(fields="X: y\r\n" * 99), [200]), (get(fields="X: y\r\n" * 100), [431]), (get(fields="X: y\r\n" * 5000), [431]),
        (get(fields="X: " + "y" * 15_000 + "\r\n"), [200]), (get(fields="X: " + "y" * 17_000 + "\r\n"), [431]),
        (get(fields="X" * 17_000 + ": y\r\n"), [431]), (get(fields="Expect: 200-ok\r\n"), [417]),
        (get(fields="Connection: close, close\r\n"), [200]), (get(fields="Connection: keep-alive\r\nKeep-Alive: timeout=1\r\n"), [200]),
        (get(fields="Connection: Content-Length\r\n"), [200]), (get(fields="Upgrade: h2c\r\nConnection: Upgrade\r\n"), [200]),
        (get(version="HTTP/1.0", host=""), [200]), (get(version="HTTP/1.0", fields="Connection: keep-alive\r\n"), [200]),
    ],
    # A server that reads one of these differently from the proxy in front can be made to read a request that nobody sent.
    "smuggling": [
        (post(f"Content-Length: 4\r\n{CHUNKED}", CHUNKS) + NEXT, [400]),
        (post(f"{CHUNKED}Content-Length: 4\r\n", CHUNKS) + NEXT, [400]),
        (post("Content-Length: 15\r\nContent-Length: 16\r\n", PING) + NEXT, [400]),
        (post("Content-Length: 15\r\nContent-Length: 15\r\n", PING) + NEXT, [400, [200, 200]]),
        (post("Content-Length: 15, 15\r\n", PING) + NEXT, [400, [200, 200]]),
        (post("Content-Length: 15, 16\r\n", PING) + NEXT, [400]), (post("Content-Length: +15\r\n", PING) + NEXT, [400]),
        (post("Content-Length: -1\r\n", PING) + NEXT, [400]), (post("Content-Length: 0x0f\r\n", PING) + NEXT, [400]),
        (post("Content-Length: 15 \r\n", PING), [200]), (post("Content-Length: 1 5\r\n", PING) + NEXT, [400]),
        (post("Content-Length: 15.0\r\n", PING) + NEXT, [400]), (post("Content-Length:\r\n", PING) + NEXT, [400]),
        (post("Content-Length: \x0b15\r\n", PING) + NEXT, [400]), (post("Content-Length: 1e1\r\n", PING) + NEXT, [400]),
        (post("Content-Length: 99999999999999999999\r\n", PING) + NEXT, [400, 413]),
        (post("Content-Length: 18446744073709551631\r\n", PING) + NEXT, [400, 413]),
        (post("Content-Length: 9223372036854775807\r\n", PING) + NEXT, [413]),
        (post("Content-Length : 15\r\n", PING) + NEXT, [400]),
        (post("Transfer-Encoding: gzip, chunked\r\n", CHUNKS) + NEXT, [501, 400]), (post("Transfer-Encoding: chunked, gzip\r\n", CHUNKS), [400, 501]),
        (post("Transfer-Encoding: xchunked\r\n", CHUNKS) + NEXT, [501, 400]), (post("Transfer-Encoding: chunked, chunked\r\n", CHUNKS) + NEXT, [400, 501]),
        (post(CHUNKED + CHUNKED, CHUNKS) + NEXT, [400, 501]), (post("Transfer-Encoding: identity\r\n", CHUNKS) + NEXT, [501, 400]),
        (post("Transfer-Encoding:\r\n", CHUNKS) + NEXT, [400, 501]), (post("Transfer-Encoding: \x0bchunked\r\n", CHUNKS) + NEXT, [400]),
        (post("Transfer-Encoding : chunked\r\n", CHUNKS) + NEXT, [400]), (post("Transfer-Encoding: CHUNKED\r\n", CHUNKS) + NEXT, [[200, 200]]),
        (post("Transfer-Encoding: \"chunked\"\r\n", CHUNKS) + NEXT, [400, 501]), (post("Transfer-Encoding: chunked;q=1\r\n", CHUNKS) + NEXT, [400, 501]),
        (post("Transfer-Encoding:\r\n chunked\r\n", CHUNKS) + NEXT, [400]),
        (post(CHUNKED, CHUNKS).replace(b"HTTP/1.1", b"HTTP/1.0") + NEXT, [400]),
        (post(CHUNKED, b"0f\r\n" + PING + b"\r\n0\r\n\r\n") + NEXT, [[200, 200]]),
        (post(CHUNKED, b"F;x=y\r\n" + PING + b"\r\n0\r\nTrailer: x\r\n\r\n") + NEXT, [[200, 200]]),
        (post(CHUNKED, b"f\n" + PING + b"\r\n0\r\n\r\n") + NEXT, [400]), (post(CHUNKED, b"f\r\n" + PING + b"\n0\r\n\r\n") + NEXT, [400]),
        (post(CHUNKED, b"f \r\n" + PING + b"\r\n0\r\n\r\n") + NEXT, [400]), (post(CHUNKED, b" f\r\n" + PING + b"\r\n0\r\n\r\n") + NEXT, [400]),
        (post(CHUNKED, b"0xf\r\n" + PING + b"\r\n0\r\n\r\n") + NEXT, [400]), (post(CHUNKED, b"-1\r\n\r\n") + NEXT, [400]),
        (post(CHUNKED, b"\r\n" + PING) + NEXT, [400]), (post(CHUNKED, b"g\r\n" + PING) + NEXT, [400]),
        (post(CHUNKED, b"ffffffffffffffff\r\n" + PING) + NEXT, [400, 413]), (post(CHUNKED, b"10000000000000000f\r\n" + PING) + NEXT, [400]),
        (post(CHUNKED, b"fffffff\r\n" + PING) + NEXT, [413]), (post(CHUNKED, b"f\r\n" + PING + b"xx0\r\n\r\n") + NEXT, [400]),
        (post(CHUNKED, b"f;" + b"x" * 5000 + b"\r\n" + PING + b"\r\n0\r\n\r\n") + NEXT, [400]),
        (post(CHUNKED, b"f\r\n" + PING + b"\r\n0\r\nContent-Length: 3\r\n\r\n") + NEXT, [400, [200, 200]]),
        (post(CHUNKED, b"f\r\n" + PING + b"\r\n0\r\n" + b"X: y\r\n" * 1000 + b"\r\n") + NEXT, [431]),
        (post(CHUNKED, b"f\r\n" + PING + b"\r\n0\r\nX y\r\n\r\n") + NEXT, [400]),
        (get(fields="Content-Length: 5\r\n") + b"hello" + NEXT, [[200, 200]]),
        (NEXT + NEXT + NEXT, [[200, 200, 200]]), (NEXT + b"nonsense\r\n\r\n" + NEXT, [[200, 400]]),
        (get(fields="Connection: close\r\n") + NEXT, [200]),
    ],
    "bodies": [
        (post("Content_Length: 15\r\n"), [400]),
        (post("Content-Length: 15\r\n", PING), [200]), (post("Content-Length: 15\r\n", PING, token=False), [401]),
        (post("Content-Length: 0\r\n"), [400]), (post(""), [400, 411]), (post("Content-Length: 7\r\n", b"nonsens"), [400]),
        (post("Content-Length: 200000\r\n"), [413]), (post("Content-Length: 200000\r\n", token=False), [401]),
        (post("Content-Length: 9000000\r\n"), [413]), (post("Content-Length: 9000000\r\n", target="/v1/documents"), [413]),
        (post("Content-Length: 8000000\r\n", target="/v1/documents"), [403]),
        (post("Content-Length: 15\r\nContent-Encoding: gzip\r\n", PING), [415]), (post("Content-Length: 15\r\nContent-Encoding: identity\r\n", PING), [200]),
        (post("Content-Length: 15\r\nExpect: 100-continue\r\n", PING), [[100, 200]]),
        (post("Content-Length: 200000\r\nExpect: 100-continue\r\n"), [413]),
        (post("Content-Length: 3\r\n", b"\xff\xfe{"), [400]), (post("Content-Length: 2\r\n", b"[]"), [400]), (post("Content-Length: 4\r\n", b"null"), [400]),
        (post("Content-Length: 17\r\n", b'{"type":"unknown"'), [400]), (post("Content-Length: 18\r\n", b'{"type":"unknown"}'), [400]),
        (post("Content-Length: 16\r\n", b'{"type":"hello"}'), [400]),
    ],
    "tokens and origins": [
        (get("/v1/stats"), [401]), (get("/v1/stats", "Authorization: Bearer TOKEN\r\n"), [403]),
        (get("/v1/stats", "Authorization: Bearer ADMIN\r\n"), [200]), (get("/v1/stats", "Authorization: bearer ADMIN\r\n"), [200]),
        (get("/v1/stats", "Authorization: Basic ADMIN\r\n"), [401]), (get("/v1/stats", "Authorization: ADMIN\r\n"), [401]),
        (get("/v1/stats", "Authorization: Bearer\r\n"), [401]), (get("/v1/stats", "Authorization: Bearer ADMINx\r\n"), [401]),
        (get("/v1/stats", "Authorization: Bearer a.b.c\r\n"), [401]), (get("/v1/stats", "Authorization: Bearer NONE\r\n"), [401]),
        (get("/v1/stats", "Authorization: Bearer ADMIN ADMIN\r\n"), [401]), (get("/v1/stats?token=ADMIN"), [401]),
        (get("/v1/stats", "Authorization: Bearer " + "x" * 9000 + "\r\n"), [401]),
        (get("/v1/events"), [401]), (get("/v1/events?token=TOKEN"), [401]), (get("/v1/events", method="POST"), [405]),
        (get("/v1/events", "Authorization: Bearer TOKEN\r\nOrigin: https://evil.example\r\n"), [403]),
        (get("/v1/events", "Authorization: Bearer TOKEN\r\nLast-Event-ID: x\r\n"), [400]),
        (get("/v1/documents/a/b/c", "Authorization: Bearer ADMIN\r\n"), [400]), (get("/v1/nothing", "Authorization: Bearer ADMIN\r\n"), [404]),
        (get("/v1/documents/" + "a/b/" * 5, "Authorization: Bearer ADMIN\r\n"), [400, 404]),
    ],
    "handshakes": [
        (upgrade(), [101]), (upgrade(Upgrade="WebSocket", Connection="keep-alive, Upgrade"), [101]),
        (upgrade(Upgrade=None), [426, 400]), (upgrade(Upgrade="h2c"), [426, 400]), (upgrade(Upgrade=""), [426, 400]),
        (upgrade(Connection=None), [426, 400]), (upgrade(Connection="close"), [426, 400]), (upgrade(Host=None), [400]),
        (upgrade(Sec_WebSocket_Key=None), [400]), (upgrade(Sec_WebSocket_Key=""), [400]), (upgrade(Sec_WebSocket_Key="x"), [400]),
        (upgrade(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ"), [400]), (upgrade(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZTE="), [400]),
        (upgrade(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25j"), [400]), (upgrade(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), [400]),
        (upgrade(Sec_WebSocket_Version=None), [426]), (upgrade(Sec_WebSocket_Version="8"), [426]), (upgrade(Sec_WebSocket_Version="13, 8"), [426, 400]),
        (upgrade(Sec_WebSocket_Version="013"), [426, 400]), (upgrade(Sec_WebSocket_Version="13\r\nSec-WebSocket-Version: 13"), [400, 426, 101]),
        (upgrade(Sec_WebSocket_Protocol="watchwise.v1"), [101]), (upgrade(Sec_WebSocket_Protocol="watchwise.v2"), [400]),
        (upgrade(Sec_WebSocket_Protocol="x, watchwise.v1"), [101]), (upgrade(Sec_WebSocket_Protocol=""), [400]), (upgrade(Sec_WebSocket_Protocol="a b"), [400]),
        (upgrade(Sec_WebSocket_Extensions="permessage-deflate"), [101]), (upgrade(Sec_WebSocket_Extensions="nonsense"), [101]),
        (upgrade(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits=99"), [101]), (upgrade(Sec_WebSocket_Extensions=";;;"), [400, 101]),
        (upgrade(Origin="https://evil.example"), [403]), (upgrade(Origin="null"), [403]), (upgrade(Origin="http://localhost"), [101]),
        (upgrade(Origin="http://localhost.evil.example"), [403]), (upgrade(Origin="http://localhost:81"), [403]), (upgrade(Origin=""), [403, 400]),
        (upgrade(Origin="http://localhost\r\nOrigin: https://evil.example"), [400]), (upgrade(Origin="http://evil@localhost"), [403]),
        (upgrade(Authorization="Bearer TOKEN"), [101]), (upgrade(Authorization="Bearer nonsense"), [401]), (upgrade(Authorization="Bearer NONE"), [401]),
        (upgrade("/v1/ws/"), [101, 404]), (upgrade("/v1/ws/x"), [404]), (upgrade("/v1/echo"), [404, 401]), (upgrade("/ws"), [404]),
        (upgrade("/v1/ws?token=TOKEN"), [101]), (upgrade().replace(b"GET", b"POST"), [405]), (upgrade().replace(b"1.1", b"1.0"), [400, 426, 505]),
        (upgrade(Content_Length="5") + b"hello", [400, 413]), (upgrade(Transfer_Encoding="chunked") + b"0\r\n\r\n", [400, 401, 413]),
    ],
}

# Refused requests after which the beginning of the next one is not known.
FRAMING = {"request lines", "header fields", "smuggling"}

GOOD = text({"id": 1, "type": "ping"})
LIVE, NEW, SQUEEZED = "session", "socket", "compressed"

# The kind of connection, the sent bytes, and the expected close code or reply.
FRAMES = {
    "frames": [
        (LIVE, GOOD, "ok"), (LIVE, frame(9, b"x" * 125) + GOOD, "ok"), (LIVE, frame(10, b"x") + GOOD, "ok"), (LIVE, frame(10, b"x" * 126), 1002),
        (LIVE, frame(9, b"x" * 126), 1002), (LIVE, frame(8, b"x" * 126), 1002), (LIVE, frame(9, b"", final=False), 1002),
        (LIVE, frame(8, b"", final=False), 1002), (LIVE, frame(1, b"{}", masked=False), 1002), (LIVE, frame(9, b"", masked=False), 1002),
        *[(LIVE, frame(code, b""), 1002) for code in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)],
        *[(LIVE, frame(1, b"{}", flags=bit), 1002) for bit in (0x10, 0x20, 0x40, 0x70)],
        *[(SQUEEZED, frame(1, b"{}", flags=bit), 1002) for bit in (0x10, 0x20)],
        (LIVE, frame(0, b"x"), 1002), (LIVE, frame(0, b"x", final=False), 1002), (LIVE, frame(1, b"{", final=False) + GOOD, 1002),
        (LIVE, frame(1, b"{", final=False) + frame(2, b"x"), 1002),
        (LIVE, frame(1, b'{"id":1,"ty', final=False) + frame(9, b"x") + frame(0, b'pe":"ping"}'), "ok"),
        (LIVE, frame(1, b"", final=False) + frame(0, b'{"id":1,"type":"ping"}', final=False) + frame(0, b""), "ok"),
        (LIVE, frame(2, b"x"), 1003), (LIVE, frame(2, b""), 1003), (LIVE, frame(2, b"x", final=False) + frame(0, b"y"), 1003),
        (LIVE, b"\x81\xfe\x00\x05" + b"\0" * 9, 1002), (LIVE, b"\x81\xff" + (5).to_bytes(8, "big") + b"\0" * 9, 1002),
        (LIVE, b"\x81\xff\x80" + b"\0" * 11, 1002), (LIVE, b"\x81\xff" + (1 << 62).to_bytes(8, "big") + b"\0" * 4, 1009),
        (LIVE, frame(1, b"x" * 131_073), 1009), (LIVE, frame(1, b"x" * 131_072), "bad-request"), (NEW, frame(1, b"", announced=1 << 20), 1009),
        (LIVE, frame(1, b"x" * 70_000, final=False) + frame(0, b"x" * 70_000), 1009),
        (LIVE, b"GET / HTTP/1.1\r\n\r\n", 1002), (NEW, b"\x16\x03\x01\x02\x00" + b"\x01" * 30, 1002), (NEW, b"\xff" * 100, 1002), (NEW, b"\0" * 100, 1002),
    ],
    "close frames": [
        (LIVE, frame(8), 1005), (LIVE, frame(8, b"\x03"), 1002), (LIVE, frame(8, b"\x03\xe8"), 1000), (LIVE, frame(8, b"\x03\xe8bye"), 1000),
        (LIVE, frame(8, b"\x03\xe8" + b"x" * 123), 1000), (LIVE, frame(8, b"\x03\xe8\xff"), 1007),
        *[(LIVE, frame(8, code.to_bytes(2, "big")), code) for code in (1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 4000, 4999)],
        *[(LIVE, frame(8, code.to_bytes(2, "big")), 1002) for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535)],
        (LIVE, frame(8, b"\x03\xe8") + GOOD, 1000),
    ],
    "text": [
        *[(LIVE, frame(1, data), 1007) for data in (
            b"\xff", b"\xc0\x80", b"\xc1\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\x80", b"\xe2\x82",
            b"\xf0\x9f\x98", b"a\xffb")],
        (LIVE, frame(1, b"\xe2\x82", final=False) + frame(0, b"\xac"), "bad-request"), (LIVE, frame(1, b"\xe2", final=False) + frame(0, b"x"), 1007),
        (LIVE, frame(1, b"\xff", final=False), 1007),
    ],
    "compression": [
        (SQUEEZED, frame(1, deflated(b'{"id":1,"type":"ping"}'), flags=0x40), "ok"), (SQUEEZED, GOOD, "ok"),
        (SQUEEZED, frame(1, b"\xff\xff\xff", flags=0x40), 1007), (SQUEEZED, frame(1, b"\x06", flags=0x40), 1007),
        (SQUEEZED, frame(1, deflated(b"\xff\xfe"), flags=0x40), 1007), (SQUEEZED, frame(1, deflated(b" " * 200_000), flags=0x40), 1009),
        (SQUEEZED, frame(9, b"", flags=0x40), 1002), (SQUEEZED, frame(8, b"", flags=0x40), 1002),
        (SQUEEZED, frame(1, deflated(b'{"id":1,"type":"ping"}')[:5], final=False, flags=0x40)
         + frame(0, deflated(b'{"id":1,"type":"ping"}')[5:]), "ok"),
        (SQUEEZED, frame(1, b"x", final=False, flags=0x40) + frame(0, b"x", flags=0x40), 1002), (SQUEEZED, frame(2, deflated(b"x"), flags=0x40), 1003),
        (SQUEEZED, frame(1, b"", flags=0x40), "bad-request"),
    ],
    "JSON": [
        *[(LIVE, frame(1, data), "bad-request") for data in (
            b"", b" ", b"x", b"{", b"}", b"[]", b"null", b"1", b'"a"', b'{"id":1}', b'{"id":1,"type":1}', b'{"id":1,"type":null}', b'{"type":"ping"',
            b'{"id":1,"type":"ping",}', b"{'id':1}", b'{"id":1 "type":"ping"}', b'{"id":01,"type":"ping"}', b'{"id":1,"type":"ping","x":NaN}',
            b'{"id":1,"type":"ping","x":1e}', b'{"id":1,"type":"ping","x":.5}', b'{"id":1,"type":"ping","x":"\\x"}', b'{"id":1,"type":"ping","x":"\\ud800"}',
            b'{"id":1,"type":"ping","x":"\x01"}', b'{"id":1,"type":"ping"} {}', b'\xef\xbb\xbf{"id":1,"type":"ping"}', b'{"id":1,"id":2,"type":"ping"}',
            b'{"id":1,"type":"ping","type":"send"}', b'{"id":[],"type":"ping"}', b'{"id":true,"type":"ping"}', b'{"id":1,"type":"ping","x":' + b"[" * 20 + b"]" * 20 + b"}",
            b'{"a":' * 10_000, b"[" * 100_000, b'{"id":1,"type":"send","chat":"a:b","text":"","key":"k"}', b'{"id":1,"type":"send","chat":7,"text":"x","key":"k"}',
            b'{"id":1,"type":"send","chat":"a:b","text":"x","key":""}', b'{"id":1,"type":"history","chat":"a:b","limit":201}',
            b'{"id":1,"type":"history","chat":"a:b","limit":-1}', b'{"id":1,"type":"history","chat":"a:b","limit":1e99}', b'{"id":1,"type":"presence","watch":"bob"}',
            b'{"id":1,"type":"presence","watch":' + json.dumps(["u"] * 201).encode() + b"}", b'{"id":1,"type":"follow","topic":"nonsense"}',
            b'{"id":1,"type":"read","chat":"a:b","n":9007199254740993}')],
        (LIVE, b"".join(text(silent) for silent in ("{}", '{"type":"nonsense"}', '{"type":"send"}')) + GOOD, "ok"),
        (LIVE, text({"id": 1, "type": "nonsense"}), "unknown-command"), (LIVE, text({"id": 1, "type": "PING"}), "unknown-command"),
        (LIVE, text({"id": 1, "type": "ping", "extra": {"a": [1]}}), "ok"), (LIVE, text({"id": "one", "type": "ping"}), "ok"),
        (LIVE, text({"id": 1, "type": "history", "chat": "a:b"}), ("forbidden", "not-found")), (LIVE, frame(1, b' {"id":1,"type":"ping"} '), "ok"),
        (LIVE, text({"id": 1, "type": "send", "chat": "alice:bob", "text": "x", "key": "k"}), ("forbidden", "not-found")),
    ],
    "hellos": [
        (NEW, GOOD, "unauthenticated"), (NEW, text({"id": 1, "type": "hello"}), "unauthenticated"), (NEW, text({"id": 1, "type": "hello", "token": ""}), "bad-request"),
        (NEW, text({"id": 1, "type": "hello", "token": 7}), "bad-request"), (NEW, text({"id": 1, "type": "hello", "token": "a.b.c"}), "unauthenticated"),
        (NEW, text({"id": 1, "type": "hello", "token": "NONE"}), "unauthenticated"), (NEW, text({"id": 1, "type": "hello", "token": "EXPIRED"}), "token-expired"),
        (NEW, text({"id": 1, "type": "hello", "token": "TOKENx"}), "unauthenticated"), (NEW, text({"id": 1, "type": "hello", "token": "x" * 9000}), "bad-request"),
        (NEW, text({"id": 1, "type": "hello", "token": "TOKEN", "device": ""}), "bad-request"), (NEW, text({"id": 1, "type": "hello", "token": "TOKEN", "device": "a" * 200}), "bad-request"),
        (NEW, text({"id": 1, "type": "hello", "token": "TOKEN", "since": {"epoch": "e", "seq": -1}}), "bad-request"),
        (NEW, text({"id": 1, "type": "hello", "token": "TOKEN", "since": {"epoch": "e", "seq": 1 << 60}}), "bad-request"),
        (NEW, text({"id": 1, "type": "hello", "token": "TOKEN", "locale": "?"}), "bad-request"), (NEW, text({"id": 1, "type": "hello", "token": "TOKEN"}), "ok"),
        (LIVE, text({"id": 1, "type": "hello", "token": "ADMIN"}), "forbidden"), (LIVE, text({"id": 1, "type": "hello", "token": "TOKEN"}), "ok"),
        (LIVE, text({"id": 1, "type": "hello", "token": "NONE"}), "unauthenticated"),
    ],
}


def unsigned(secretless=b'{"alg":"none","typ":"JWT"}'):
    """A token that claims to need no signature."""
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")
    claims = json.dumps({"sub": "mallory", "exp": int(time.time()) + 3600, "scope": "admin"}).encode()
    return (part(secretless) + b"." + part(claims) + b".").decode()


def remask(data, words):
    """The bytes to send, with placeholders replaced: in HTTP as they are, in frames with the mask."""
    if data[:1] in (b"\x81",) and len(data) > 6:
        size, start = data[1] & 127, 2
        if size == 126:
            start = 4
        payload = bytes(byte ^ data[start + place % 4] for place, byte in enumerate(data[start + 4:]))
        if any(word in payload for word in words):
            for word, value in words.items():
                payload = payload.replace(word, value)
            return frame(1, payload)
        return data
    for word, value in words.items():
        data = data.replace(word, value)
    return data


async def statuses(port, data):
    """The statuses of all answers, and whether the connection ended after them."""
    peer = await Peer.open(port, data)
    found = []
    try:
        while True:
            status, _, _ = await peer.answer(0.5 if found else 5, isHead=data.startswith(b"HEAD"))
            if status == 0:
                return found, True
            found.append(status)
            if status in (101, 200) and len(found) > 5:
                return found, False
    except TimeoutError:
        return found, False
    finally:
        peer.close()


async def verdict(house, token, kind, data, number):
    """The close code, the code of an error, or "ok"."""
    if kind == LIVE:
        peer = await Peer.session(house.port, token, f"probe{number}")
    elif kind == NEW:
        peer = await Peer.socket(house.port)
    else:
        peer = await Peer.session(house.port, token, f"probe{number}", Sec_WebSocket_Extensions="permessage-deflate")
    try:
        await peer.send(data)
        while True:
            message = await peer.message(3)
            if "re" in message:
                return "ok" if "ok" in message else message["error"]["code"]
            if "closed" in message:
                return message["closed"]
    except TimeoutError:
        return "silence"
    finally:
        peer.close()


async def probe_all(options):
    """Every row of the tables, each on a connection of its own."""
    house = House(options.binary, "--log-level", "error", "--connections-per-user", "1000")
    token = house.token("mallory")
    words = {b"TOKEN": token.encode(), b"ADMIN": house.admin.encode(), b"NONE": unsigned().encode()}
    expired = house.token("mallory", seconds=1)
    words[b"EXPIRED"] = expired.encode()
    passed = failed = 0
    gate = asyncio.Semaphore(16)

    async def http(data, wanted, isFraming):
        async with gate:
            found, ended = await statuses(house.port, remask(data, words))
        first = found[0] if found else 0
        ways = [way if isinstance(way, list) else [way] for way in wanted]
        good = found in ways
        # After a request whose end is not known, nothing may be read any more.
        if good and isFraming and first in (400, 413, 414, 431, 501, 505) and len(found) == 1 and not ended:
            return False, f"{found} and the connection stays"
        return good, found

    async def webSocket(kind, data, wanted, number):
        async with gate:
            found = await verdict(house, token, kind, remask(data, words), number)
        return found in (wanted if isinstance(wanted, tuple) else (wanted,)), found

    await asyncio.sleep(1.1)
    number = 0
    for group, rows in list(HTTP.items()) + list(FRAMES.items()):
        work = []
        for row in rows:
            number += 1
            work.append(http(*row, group in FRAMING) if group in HTTP else webSocket(*row, number))
        good = 0
        for row, (fine, found) in zip(rows, await asyncio.gather(*work)):
            good += fine
            if not fine:
                data = row[0] if group in HTTP else row[1]
                print(f"    FAILED: {data[:100]!r} was answered {found}, not {row[-1]}", flush=True)
        passed, failed = passed + good, failed + len(rows) - good
        print(f"probes: {group}: {good} of {len(rows)}", flush=True)
    if not house.is_running:
        failed += 1
        print("    FAILED: the server died")
    failed += house.stop() != 0
    return passed, failed
