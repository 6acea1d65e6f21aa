#!/usr/bin/env python3
"""A fake of a push service of Web Push (RFC 8030), as browsers and UnifiedPush have it.

An endpoint is /ANSWER/NAME. ANSWER is a status, which the service gives to what is right otherwise, or an ending:

    201, 200, 202, 204              taken
    302, 307 …                      a redirect to /201/NAME
    404, 410                        the subscription is unknown, or ended
    429, 503                        with `?after=SECONDS` they have a `Retry-After`
    any other status                itself
    {endings}
                                    at the first message for that path; later ones get 201

It checks the headers, the VAPID token (RFC 8292) against its key, and that the body can be decrypted (RFC 8291) with
the keys of the subscription. `GET /received` returns everything that was received, with the text in `plain`."""

import base64
import json
import re
import secrets
import time
import urllib.parse
from pathlib import Path

import http_ece
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from service import Answer, Ending, Log, Request, Service, parser

BODY_BYTES_MAX = 4096
DAY = 24 * 3600


class Refused(Exception):
    def __init__(self, status: int, problem: str):
        self.status, self.problem = status, problem


class WebPush:
    def __init__(self, options):
        self.options = options
        self.ended: set[str] = set()
        self.log: Log | None = None

    def ready(self, port: int) -> None:
        """Makes a subscription, which names the port; or reads one and keeps its keys."""
        self.origin = f"https://localhost:{port}"
        path = Path(self.options.subscription)
        known = json.loads(path.read_text()) if path.exists() else new_subscription()
        path.write_text(json.dumps({**known, "endpoint": f"{self.origin}/201/device"}, indent=2))
        self.key = ec.derive_private_key(int.from_bytes(decode(known["private"])), ec.SECP256R1())
        self.secret = decode(known["keys"]["auth"])

    def answer(self, request: Request) -> Answer:
        path = urllib.parse.urlsplit(request.path)
        if (request.method, path.path) == ("GET", "/received"):
            return Answer.json(200, self.log.lines)
        notes: dict = {}
        try:
            if not (place := re.fullmatch(r"/([a-z0-9-]+)/([A-Za-z0-9._-]+)", path.path)):
                raise Refused(404, "no such endpoint")
            if request.method != "POST":
                raise Refused(405, "only POST")
            self.check_headers(request)
            self.check_vapid(request.header("authorization") or "", request.authority, notes)
            if len(request.body) > BODY_BYTES_MAX:
                raise Refused(413, f"{len(request.body)} bytes, at most {BODY_BYTES_MAX}")
            notes["plain"] = self.decrypt(request.body)
            return self.wanted(place[1], place[2], dict(urllib.parse.parse_qsl(path.query)), notes)
        except Refused as refused:
            notes["problem"] = refused.problem
            return Answer(refused.status, [("content-type", "text/plain")], refused.problem.encode(), notes=notes)

    def wanted(self, what: str, name: str, query: dict[str, str], notes: dict) -> Answer:
        """The answer to a message that is right."""
        headers = [("retry-after", query["after"])] if "after" in query else []
        if what.isdigit() and 200 <= int(what) <= 599:
            status = int(what)
            if status == 201:
                headers.append(("location", f"{self.origin}/message/{secrets.token_urlsafe(8)}"))
            elif status in range(300, 400):
                headers.append(("location", f"{self.origin}/201/{name}"))
            return Answer(status, headers, b"" if status in (201, 204) else what.encode(), notes=notes)
        ending = next((ending for ending in Ending if ending.value == what), None)
        if ending is None:
            raise Refused(404, f"'{what}' is not an answer that can be asked for")
        first = f"{what}/{name}" not in self.ended
        self.ended.add(f"{what}/{name}")
        return Answer(201, headers, ending=ending if first else None, notes=notes)

    def check_headers(self, request: Request) -> None:
        """RFC 8030, sections 5.2 to 5.4, and RFC 8188, section 2."""
        if not re.fullmatch(r"[0-9]{1,10}", request.header("ttl") or ""):
            raise Refused(400, "TTL must be a number of seconds")
        if request.header("urgency") not in (None, "very-low", "low", "normal", "high"):
            raise Refused(400, "Urgency is not known")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", request.header("topic") or "none"):
            raise Refused(400, "Topic must have at most 32 characters of base64url")
        if request.header("content-encoding") != "aes128gcm":
            raise Refused(415, "Content-Encoding must be aes128gcm")

    def check_vapid(self, authorization: str, authority: str, notes: dict) -> None:
        """RFC 8292, sections 2 and 3. The audience is the origin as the client names it."""
        form = re.fullmatch(r"vapid\s+(.*)", authorization, re.IGNORECASE)
        fields = dict(part.strip().split("=", 1) for part in form[1].split(",") if "=" in part) if form else {}
        if not {"t", "k"} <= fields.keys():
            raise Refused(401, "Authorization must be 'vapid t=…, k=…'")
        try:
            key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(fields["k"]))
            claims = jwt.decode(fields["t"], key, algorithms=["ES256"], audience=f"https://{authority}", leeway=10,
                                options={"require": ["aud", "exp", "sub"]})
        except (ValueError, jwt.InvalidTokenError) as problem:
            raise Refused(403, f"the VAPID token is not valid: {problem}") from problem
        if claims["exp"] > time.time() + DAY + 10:
            raise Refused(403, "the VAPID token lasts longer than a day")
        if not claims["sub"].startswith(("mailto:", "https:")):
            raise Refused(403, "`sub` must be mailto: or https:")
        if self.options.vapid not in (None, fields["k"]):
            raise Refused(403, "the subscription belongs to another VAPID key")
        notes["vapid"] = fields["k"]

    def decrypt(self, body: bytes) -> str:
        try:
            plain = http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
            return plain.decode()
        except Exception as problem:  # http_ece raises errors of several libraries.
            raise Refused(400, f"the body cannot be decrypted: {type(problem).__name__} {problem}") from problem


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def new_subscription() -> dict:
    """What a browser gives to its page, and the private key, which it keeps."""
    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return {
        "endpoint": "", "keys": {"p256dh": encode(point), "auth": encode(secrets.token_bytes(16))},
        "private": encode(key.private_numbers().private_value.to_bytes(32)),
    }


def main() -> None:
    options = parser(__doc__.format(endings=", ".join(ending.value for ending in Ending)))
    options.add_argument("--subscription", required=True, metavar="FILE",
                         help="keys and endpoint; made if it is not there. Its `endpoint` becomes this server's")
    options.add_argument("--vapid", metavar="KEY", help="the VAPID key that the subscriptions are for; any otherwise")
    chosen = options.parse_args()
    fake = WebPush(chosen)
    service = Service(fake.answer, chosen)
    fake.log = service.log
    service.run(fake.ready)


if __name__ == "__main__":
    main()
