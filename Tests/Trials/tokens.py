"""Tokens, signed here with the secret of a server's folder."""

import base64
import hashlib
import hmac
import json
import pathlib
import time

DAY = 86_400


def sign(data, user, *scopes, seconds=DAY, shift=0):
    """A token that is good for `seconds`, by a clock that is `shift` seconds ahead. Without scopes it is a user's."""
    secret = bytes.fromhex(pathlib.Path(data, "secret").read_text().split()[0])
    now = int(time.time()) + shift
    claims = {"sub": user, "iat": now - 5, "exp": now + seconds} | ({"scope": " ".join(scopes)} if scopes else {})
    text = part({"alg": "HS256", "typ": "JWT"}) + b"." + part(claims)
    return (text + b"." + encoded(hmac.new(secret, text, hashlib.sha256).digest())).decode()


def part(content):
    return encoded(json.dumps(content).encode())


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")
