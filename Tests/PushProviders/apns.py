#!/usr/bin/env python3
"""A fake of the Apple Push Notification service: HTTP/2 only, provider tokens, every reason on demand.

It checks what APNs documents: the provider token (ES256), the headers, sizes, and one stream on a connection until its
first good provider token. The device token decides the answer by its last digits:

{suffixes}

An ending happens at the first request with that device token; later ones get 200."""

import json
import re
import time
import uuid
from dataclasses import dataclass

import jwt
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from service import Answer, Ending, Request, Service, parser

# "Handling notification responses from APNs", the table of response error strings.
REASONS = {
    400: ["BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
          "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
          "MissingTopic", "PayloadEmpty", "TopicDisallowed"],
    403: ["BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden", "InvalidProviderToken",
          "MissingProviderToken", "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken"],
    404: ["BadPath"],
    405: ["MethodNotAllowed"],
    410: ["ExpiredToken", "Unregistered"],
    413: ["PayloadTooLarge"],
    429: ["TooManyProviderTokenUpdates", "TooManyRequests"],
    500: ["InternalServerError"],
    503: ["ServiceUnavailable", "Shutdown"],
}
STATUS = {reason: status for status, reasons in REASONS.items() for reason in reasons}

# The end of a device token, and what it gets: e40002 is the second reason of status 400, f00001 the first ending.
SUFFIXES: dict[str, str | Ending] = {
    **{f"e{status}{number:02}": reason
       for status, reasons in REASONS.items() for number, reason in enumerate(reasons, 1)},
    **{f"f000{number:02}": ending for number, ending in enumerate(Ending, 1)},
}

PUSH_TYPES = {"alert", "background", "controls", "location", "voip", "complication", "fileprovider", "mdm",
              "liveactivity", "pushtotalk", "widgets"}


class Refused(Exception):
    def __init__(self, reason: str):
        self.reason = reason


@dataclass
class ProviderToken:
    """The token that is in use, since when, and when it was made."""

    text: str
    seen: float
    issued: int


class Apns:
    def __init__(self, options):
        self.options = options
        self.key = public_key(options.public_key)
        self.token: ProviderToken | None = None
        self.ended: set[str] = set()

    def answer(self, request: Request) -> Answer:
        identifier = request.header("apns-id") or str(uuid.uuid4()).upper()
        headers = [("apns-id", identifier)]
        notes: dict = {}
        try:
            self.check_provider(request)
            device = self.check(request)
            notes["device"] = device
            wanted = SUFFIXES.get(device[-6:])
            if isinstance(wanted, str):
                raise Refused(wanted)
            ending = wanted if device not in self.ended else None
            self.ended.add(device)
            return Answer(200, headers, ending=ending, opens_streams=True, notes=notes)
        except Refused as refused:
            status = STATUS[refused.reason]
            body: dict = {"reason": refused.reason}
            if status == 410:
                body["timestamp"] = self.options.gone_at or int(time.time() * 1000)
            notes["reason"] = refused.reason
            return Answer.json(status, body, headers, opens_streams=status != 403, notes=notes)

    def check_provider(self, request: Request) -> None:
        """The provider token: signed by the key, of the team, under an hour old, and not changed too often."""
        words = (request.header("authorization") or "").split(" ")
        if len(words) != 2 or words[0].lower() != "bearer":
            raise Refused("MissingProviderToken")
        text, now = words[1], time.time()
        is_known = self.token is not None and self.token.text == text
        issued = self.token.issued if is_known else self.issued(text)
        if issued < now - self.options.lifetime:
            raise Refused("ExpiredProviderToken")
        if is_known:
            return
        if self.token is not None and now < self.token.seen + self.options.update_seconds:
            raise Refused("TooManyProviderTokenUpdates")
        self.token = ProviderToken(text, now, issued)

    def issued(self, text: str) -> int:
        try:
            head = jwt.get_unverified_header(text)
            claims = jwt.decode(text, self.key, algorithms=["ES256"], issuer=self.options.team,
                                options={"require": ["iss", "iat"], "verify_iat": False})
            if head.get("kid") != self.options.key_id or not isinstance(claims["iat"], int):
                raise Refused("InvalidProviderToken")
            if claims["iat"] > time.time() + 300:
                raise Refused("InvalidProviderToken")
            return claims["iat"]
        except jwt.InvalidTokenError as error:
            raise Refused("InvalidProviderToken") from error

    def check(self, request: Request) -> str:
        """The request as such; returns the device token."""
        if request.method != "POST":
            raise Refused("MethodNotAllowed")
        if not (path := re.fullmatch(r"/3/device/([^/?]*)", request.path)):
            raise Refused("BadPath")
        names = [name for name, _ in request.headers]
        if len(set(names)) != len(names):
            raise Refused("DuplicateHeaders")
        device = path[1]
        if not device:
            raise Refused("MissingDeviceToken")
        if not re.fullmatch(r"[0-9A-Fa-f]{64,200}", device):
            raise Refused("BadDeviceToken")
        self.check_headers(request)
        self.check_payload(request)
        return device.lower()

    def check_headers(self, request: Request) -> None:
        topic = request.header("apns-topic")
        if topic is None:
            raise Refused("MissingTopic")
        if not re.fullmatch(r"[A-Za-z0-9.-]+", topic):
            raise Refused("BadTopic")
        if topic not in self.options.topic:
            raise Refused("TopicDisallowed")
        if (kind := request.header("apns-push-type")) is not None and kind not in PUSH_TYPES:
            raise Refused("InvalidPushType")
        priority = request.header("apns-priority")
        if priority not in (None, "1", "5", "10") or (kind == "background" and priority != "5"):
            raise Refused("BadPriority")
        if not re.fullmatch(r"[0-9]{1,10}", request.header("apns-expiration") or "0"):
            raise Refused("BadExpirationDate")
        if len((request.header("apns-collapse-id") or "").encode()) > 64:
            raise Refused("BadCollapseId")
        uuid_form = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
        if (identifier := request.header("apns-id")) is not None and not re.fullmatch(uuid_form, identifier):
            raise Refused("BadMessageId")

    def check_payload(self, request: Request) -> None:
        most = 5120 if request.header("apns-push-type") == "voip" else 4096
        if len(request.body) > most:
            raise Refused("PayloadTooLarge")
        try:
            payload = json.loads(request.body)
        except ValueError as error:
            raise Refused("PayloadEmpty") from error
        if not isinstance(payload, dict) or not isinstance(payload.get("aps"), dict):
            raise Refused("PayloadEmpty")


def public_key(path: str):
    """The public key of a PEM file, which may have the private one, as Apple's .p8 files do."""
    with open(path, "rb") as file:
        text = file.read()
    if b"PRIVATE" in text:
        return load_pem_private_key(text, None).public_key()
    return load_pem_public_key(text)


def main() -> None:
    rows = [f"    {end}  {STATUS[what]} {what}" if isinstance(what, str) else f"    {end}  {what.value}"
            for end, what in SUFFIXES.items()]
    options = parser(__doc__.format(suffixes="\n".join(rows)), streams=1000)
    options.add_argument("--public-key", required=True, metavar="PEM", help="of provider tokens; a .p8 file will do")
    options.add_argument("--key-id", required=True, help="the `kid` of provider tokens")
    options.add_argument("--team", required=True, help="the `iss` of provider tokens")
    options.add_argument("--topic", required=True, action="append", help="of notifications; may be repeated")
    options.add_argument("--update-seconds", type=float, default=1200, metavar="SECONDS",
                         help="the least time between two provider tokens (default: 1200)")
    options.add_argument("--lifetime", type=float, default=3600, metavar="SECONDS",
                         help="of a provider token (default: 3600)")
    options.add_argument("--gone-at", type=int, default=0, metavar="MILLISECONDS",
                         help="the `timestamp` of 410; the present if none is given")
    chosen = options.parse_args()
    Service(Apns(chosen).answer, chosen, protocols=("h2",), first_streams=1).run()


if __name__ == "__main__":
    main()
