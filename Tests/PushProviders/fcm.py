#!/usr/bin/env python3
"""A fake of Firebase Cloud Messaging, HTTP v1: access tokens for a service account, and messages:send.

It holds each message against Google's own description of the API (fcm.v1.json of google-api-python-client) and against
the rules that the description has only in words. The end of the device's token or fid decides the answer:

{suffixes}

A number after the last word, as in `…:UNAVAILABLE:7`, is the answer's `Retry-After` in seconds. An ending happens at
the first message for that device; later ones get 200. `GET /received` returns everything that was received."""

import json
import secrets
import time
import urllib.parse
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from fcm_schema import MessageSchema
from service import Answer, Ending, Log, Request, Service, parser

# Either scope allows to send.
SCOPES = {"https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform"}
# Google's own clients name this audience whatever the account's `token_uri` is.
AUDIENCE = "https://oauth2.googleapis.com/token"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TYPES = "type.googleapis.com/"

# The end of a device's token: status, canonical status, and FCM's errorCode, which may be missing.
ERRORS: dict[str, tuple[int, str, str | None]] = {
    "UNREGISTERED": (404, "NOT_FOUND", "UNREGISTERED"),
    "SENDER_ID_MISMATCH": (403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"),
    "INVALID_ARGUMENT": (400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    "QUOTA_EXCEEDED": (429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"),
    "UNAVAILABLE": (503, "UNAVAILABLE", "UNAVAILABLE"),
    "INTERNAL": (500, "INTERNAL", "INTERNAL"),
    "THIRD_PARTY_AUTH_ERROR": (401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
    "UNSPECIFIED_ERROR": (500, "UNKNOWN", "UNSPECIFIED_ERROR"),
    "PERMISSION_DENIED": (403, "PERMISSION_DENIED", None),
    "NOT_FOUND": (404, "NOT_FOUND", None),
}
# INVALID_ARGUMENT is about the token; this is the same status for another field.
OTHER_ARGUMENT = "OTHER_ARGUMENT"


class Fcm:
    def __init__(self, options):
        self.options = options
        self.account: dict = {}
        self.tokens: dict[str, float] = {}
        self.ended: set[str] = set()
        self.schema = MessageSchema()
        self.log: Log | None = None

    def ready(self, port: int) -> None:
        """Makes the service account, which names the port; or reads one and keeps its keys."""
        path = Path(self.options.service_account)
        known = json.loads(path.read_text()) if path.exists() else new_account(self.options.project)
        self.account = {**known, "token_uri": f"https://localhost:{port}/token"}
        path.write_text(json.dumps(self.account, indent=2))
        key = serialization.load_pem_private_key(self.account["private_key"].encode(), None)
        self.public_key = key.public_key()

    def answer(self, request: Request) -> Answer:
        path = request.path.partition("?")[0]
        if (request.method, path) == ("GET", "/received"):
            return Answer.json(200, self.log.lines)
        if request.method != "POST":
            return error(404, "NOT_FOUND", None, "no such method")
        if path == "/token":
            return self.grant(request)
        if path == f"/v1/projects/{self.account['project_id']}/messages:send":
            return self.send(request)
        return error(404, "NOT_FOUND", None, f"{path} is not known; the project is {self.account['project_id']}")

    # RFC 7523, as Google's page on OAuth for server-to-server applications describes it.
    def grant(self, request: Request) -> Answer:
        form = dict(urllib.parse.parse_qsl(request.body.decode("utf-8", "replace"), strict_parsing=False))
        if request.header("content-type") != "application/x-www-form-urlencoded":
            return oauth_error("invalid_request", "the body is not a form")
        if form.get("grant_type") != GRANT:
            return oauth_error("unsupported_grant_type", f"Invalid grant_type: {form.get('grant_type')}")
        if problem := self.problem_of_assertion(form.get("assertion", "")):
            return oauth_error("invalid_grant", problem)
        token = "ya29." + secrets.token_urlsafe(32)
        self.tokens[token] = time.time() + self.options.token_seconds
        return Answer.json(200, {"access_token": token, "expires_in": self.options.token_seconds - 1,
                                 "token_type": "Bearer"}, notes={"granted": token})

    def problem_of_assertion(self, assertion: str) -> str | None:
        try:
            head = jwt.get_unverified_header(assertion)
            claims = jwt.decode(assertion, self.public_key, algorithms=["RS256"],
                                audience=[self.account["token_uri"], AUDIENCE],
                                issuer=self.account["client_email"], leeway=10,
                                options={"require": ["iss", "aud", "iat", "exp"]})
        except jwt.InvalidTokenError as problem:
            return f"Invalid JWT: {problem}"
        if head.get("kid") not in (None, self.account["private_key_id"]):
            return "Invalid JWT: unknown kid"
        if claims["exp"] - claims["iat"] > 3600:
            return "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe"
        if not SCOPES & set(claims.get("scope", "").split(" ")):
            return "Invalid JWT: the scope does not cover messaging"
        return None

    def send(self, request: Request) -> Answer:
        kind, _, token = (request.header("authorization") or "").partition(" ")
        if kind != "Bearer" or self.tokens.get(token, 0) < time.time():
            reason = "ACCESS_TOKEN_EXPIRED" if token in self.tokens else "ACCESS_TOKEN_TYPE_UNSUPPORTED"
            details = [{"@type": TYPES + "google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}]
            return error(401, "UNAUTHENTICATED", None, "Request had invalid authentication credentials.", details)
        try:
            body = json.loads(request.body)
        except ValueError as problem:
            return error(400, "INVALID_ARGUMENT", None, f"Invalid JSON payload received. {problem}")
        if problems := self.schema.problems(body):
            details = [{"@type": TYPES + "google.rpc.BadRequest", "fieldViolations": [
                {"field": field, "description": text} for field, text in problems]}]
            return error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Invalid JSON payload received.", details,
                         notes={"problems": problems})
        message = body["message"]
        device = message.get("fid") or message["token"]
        return self.answer_for(device)

    def answer_for(self, device: str) -> Answer:
        words = device.split(":")
        headers = [("retry-after", words.pop())] if words[-1].isdigit() and len(words) > 2 else []
        wanted = words[-1]
        notes = {"device": device}
        if wanted in ERRORS:
            status, canonical, code = ERRORS[wanted]
            details = []
            if wanted == "INVALID_ARGUMENT":
                text = "The registration token is not a valid FCM registration token"
                violation = {"field": "message.token", "description": text}
                details = [{"@type": TYPES + "google.rpc.BadRequest", "fieldViolations": [violation]}]
                return error(status, canonical, code, text, details, headers, notes=notes)
            return error(status, canonical, code, wanted.lower(), details, headers, notes=notes)
        if wanted == OTHER_ARGUMENT:
            details = [{"@type": TYPES + "google.rpc.BadRequest", "fieldViolations": [
                {"field": "message.android.ttl", "description": "Invalid value"}]}]
            return error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Invalid value", details, headers, notes=notes)
        ending = next((ending for ending in Ending if ending.value == wanted and device not in self.ended), None)
        self.ended.add(device)
        name = f"projects/{self.account['project_id']}/messages/0:{time.time_ns()}%{secrets.token_hex(8)}"
        return Answer.json(200, {"name": name}, headers, ending=ending, notes=notes)


def error(status: int, canonical: str, code: str | None, text: str, details: list | None = None,
          headers: list[tuple[str, str]] | None = None, **more) -> Answer:
    """google.rpc.Status, with FCM's own code among the details."""
    details = list(details or [])
    if code:
        details.append({"@type": TYPES + "google.firebase.fcm.v1.FcmError", "errorCode": code})
    value = {"error": {"code": status, "message": text, "status": canonical, "details": details}}
    return Answer.json(status, value, headers, **more)


def oauth_error(name: str, text: str) -> Answer:
    return Answer.json(400, {"error": name, "error_description": text}, notes={"problem": text})


def new_account(project: str) -> dict:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {
        "type": "service_account", "project_id": project, "private_key_id": secrets.token_hex(20),
        "private_key": pem.decode(), "client_email": f"sender@{project}.iam.gserviceaccount.com",
        "client_id": "1", "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": "",
    }


def main() -> None:
    rows = [f"    …:{end}  {status} {canonical}, errorCode {code or '-'}"
            for end, (status, canonical, code) in ERRORS.items()]
    rows += [f"    …:{OTHER_ARGUMENT}  400 INVALID_ARGUMENT about a field that is not the token"]
    rows += [f"    …:{ending.value}" for ending in Ending]
    options = parser(__doc__.format(suffixes="\n".join(rows)))
    options.add_argument("--service-account", required=True, metavar="FILE",
                         help="made if it is not there; its `token_uri` becomes this server's")
    options.add_argument("--project", default="watchwise-test", help="of a new service account")
    options.add_argument("--token-seconds", type=int, default=3600, metavar="SECONDS", help="life of an access token")
    chosen = options.parse_args()
    fcm = Fcm(chosen)
    service = Service(fcm.answer, chosen)
    fcm.log = service.log
    service.run(fcm.ready)


if __name__ == "__main__":
    main()
