"""The cryptography of push against implementations that nobody here wrote.

messages       http-ece opens messages of all lengths that watchwise-seal made, and refuses each with another secret, cut, or
               with a bit turned
devices        random points, most of them not on the curve: refused exactly where OpenSSL's Python bindings refuse them
tokens         PyJWT verifies tokens of ES256 and RS256, and refuses changed ones and those of another key
authorization  py-vapid verifies the header of Web Push, and its own header has the same form
files          the file of keys that one side writes gives the same public keys on the other

The last line is "N passed, M failed".
"""

import base64
import json
import os
import pathlib
import random
import subprocess
import sys
import time

import http_ece
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from py_vapid import Vapid02

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from Trials import verdict

HEADER_BYTES = 86
PLAINTEXT_BYTES_MAX = 3993
CHECKS = verdict.Verdict(is_quiet=True)
check = CHECKS.check


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def data(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


class Ours:
    """The program with our code."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request, **fields):
        self.process.stdin.write(json.dumps({"do": request, **fields}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        try:
            return json.loads(line)
        except ValueError:
            raise RuntimeError(f"watchwise-seal answered {line!r} to {request}") from None

    def seal(self, plaintext, key, auth):
        return data(self.ask("seal", p256dh=text(point(key.public_key())), auth=text(auth), plaintext=text(plaintext))["body"])

    def end(self):
        self.process.stdin.close()
        return self.process.wait(20)


def opened(body, key, auth):
    """The plaintext, or None if http-ece refuses the body."""
    try:
        return http_ece.decrypt(body, private_key=key, auth_secret=auth, version="aes128gcm")
    except Exception:
        return None


def messages(ours, dice, count):
    lengths = [0, 1, 15, 16, 17, PLAINTEXT_BYTES_MAX - 1, PLAINTEXT_BYTES_MAX]
    lengths += [dice.randint(0, PLAINTEXT_BYTES_MAX) for _ in range(count - len(lengths))]
    salts, keys = set(), set()
    for length in lengths:
        key, auth, plaintext = ec.generate_private_key(ec.SECP256R1()), os.urandom(16), dice.randbytes(length)
        body = ours.seal(plaintext, key, auth)
        salts.add(body[:16])
        keys.add(body[21:HEADER_BYTES])
        form = body[16:21] == bytes([0, 0, 16, 0, 65]) and len(body) == length + 103
        check(f"a message of {length} bytes is opened", form and opened(body, key, auth) == plaintext)
        check(f"a message of {length} bytes is refused with another secret", opened(body, key, os.urandom(16)) is None)
        # http-ece takes a body that ends with its header for an empty message.
        cut = dice.choice([*range(HEADER_BYTES), *range(HEADER_BYTES + 1, len(body))])
        check(f"a message of {length} bytes is refused when cut to {cut}", opened(body[:cut], key, auth) is None)
        # All bits but those of the record size, which is not part of any key.
        bit = dice.choice([*range(16 * 8), *range(20 * 8, len(body) * 8)])
        turned = bytearray(body)
        turned[bit // 8] ^= 1 << bit % 8
        check(f"a message of {length} bytes is refused with bit {bit} turned", opened(bytes(turned), key, auth) is None)
    check("no two messages have the same salt", len(salts) == len(lengths), len(salts))
    check("no two messages have the same key", len(keys) == len(lengths), len(keys))
    print(f"messages: {len(lengths)} were sealed")


def isPoint(candidate):
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), candidate)
        return len(candidate) == 65
    except ValueError:
        return False


def devices(ours, dice, count):
    accepted = 0
    for number in range(count):
        candidate = bytearray(point(ec.generate_private_key(ec.SECP256R1()).public_key()))
        kind = number % 4
        if kind == 1:
            candidate[dice.randrange(1, 65)] ^= dice.randint(1, 255)
        elif kind == 2:
            candidate = bytearray(b"\x04" + dice.randbytes(64))
        elif kind == 3:
            candidate = candidate[: dice.randrange(65)] if dice.random() < 0.5 else candidate + dice.randbytes(1)
        answer = ours.ask("seal", p256dh=text(bytes(candidate)), auth=text(os.urandom(16)), plaintext="")
        accepted += "body" in answer
        check(f"point {number} is judged as by others", ("body" in answer) == isPoint(bytes(candidate)), answer)
        check(f"point {number} is refused by its field", "body" in answer or answer["refused"] == "p256dh", answer)
    good = text(point(ec.generate_private_key(ec.SECP256R1()).public_key()))
    for length in [0, 15, 17, 65]:
        answer = ours.ask("seal", p256dh=good, auth=text(os.urandom(length)), plaintext="")
        check(f"a secret of {length} bytes is refused by its field", answer.get("refused") == "auth", answer)
    print(f"devices: {accepted} of {count} points were accepted")


def verified(token, key, algorithm):
    try:
        return jwt.decode(token, key, algorithms=[algorithm], options={"verify_aud": False})
    except jwt.PyJWTError:
        return None


def tokens(ours, dice):
    strangers = {"ES256": ec.generate_private_key(ec.SECP256R1()), "RS256": rsa.generate_private_key(65537, 2048)}
    for algorithm, count in [("ES256", 100), ("RS256", 20)]:
        stranger = strangers[algorithm].public_key()
        for number in range(count):
            claims = {"iss": f"TEAM{number}", "iat": int(time.time()) - 5, "exp": int(time.time()) + 600,
                      "text": "".join(dice.choices('aż€😀"\\/\n', k=9)), "list": [1, 2.5, None, True]}
            named = {"keyID": f"KEY{number}"} if number % 2 else {}
            answer = ours.ask("sign", algorithm=algorithm, claims=claims, **named)
            token, key = answer["token"], jwt.PyJWK(answer["key"]).key
            wanted = {"alg": algorithm, "typ": "JWT"} | ({"kid": named["keyID"]} if named else {})
            check(f"{algorithm} token {number} is verified", verified(token, key, algorithm) == claims)
            check(f"{algorithm} token {number} has the right header", jwt.get_unverified_header(token) == wanted)
            parts = [bytearray(data(part)) for part in token.split(".")]
            parts[dice.randrange(1, 3)][0] ^= 1 << dice.randrange(8)
            changed = ".".join(text(bytes(part)) for part in parts)
            check(f"{algorithm} token {number} is refused when changed", verified(changed, key, algorithm) is None)
            check(f"{algorithm} token {number} is refused with another key", verified(token, stranger, algorithm) is None)
        print(f"tokens: {count} of {algorithm} were signed")


def fields(header):
    """The scheme and the parameters of a header, in their order (RFC 9110, section 11.4)."""
    scheme, rest = header.split(" ", 1)
    return scheme, dict(part.strip().split("=", 1) for part in rest.split(","))


def authorization(ours, folder):
    file = f"{folder}/vapid-key"
    theirs = Vapid02()
    theirs.generate_keys()
    number = theirs.private_key.private_numbers().private_value.to_bytes(32, "big")
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as out:
        out.write(text(number) + "\n")
    public = text(point(theirs.public_key))
    claims = {"aud": "https://push.example.org:8443", "exp": int(time.time()) + 43_200, "sub": "mailto:admin@example.org"}
    header = ours.ask("authorization", file=file, publicKey=public, origin=claims["aud"], contact=claims["sub"],
                      expires=claims["exp"])["header"]
    scheme, ourFields = fields(header)
    theirHeader = theirs.sign(claims)["Authorization"]
    theirScheme, theirFields = fields(theirHeader)
    check("our header has the scheme of py-vapid's", scheme == theirScheme, scheme)
    check("our header has the fields of py-vapid's, in its order", list(ourFields) == list(theirFields), list(ourFields))
    check("our header is as long as py-vapid's", len(header) == len(theirHeader), (len(header), len(theirHeader)))
    check("our header has the same public key", ourFields["k"] == theirFields["k"] == public)
    check("our token has the header of py-vapid's",
          jwt.get_unverified_header(ourFields["t"]) == jwt.get_unverified_header(theirFields["t"]))
    check("PyJWT finds the claims in our header", verified(ourFields["t"], theirs.public_key, "ES256") == claims)
    check("py-vapid verifies our header", Vapid02.verify(header))
    foreign = public[:-1] + ("Q" if public.endswith("A") else "A")
    other = ours.ask("authorization", file=file, publicKey=foreign, origin="", contact="", expires=0)
    check("there is no header for a key that is not ours", other == {"header": None}, other)
    print(f"authorization: {len(header)} bytes, {header[:20]}…")


def files(ours, folder):
    for number in range(20):
        file = f"{folder}/made-{number}"
        made = ours.ask("keys", file=file)["keys"]
        rotated = ours.ask("keys", file=file, rotates=True)["keys"]
        with open(file) as lines:
            numbers = [int.from_bytes(data(line.strip()), "big") for line in lines]
        read = [text(point(ec.derive_private_key(number, ec.SECP256R1()).public_key())) for number in numbers]
        check(f"file {number} has the keys that were answered, the newest first", rotated == read and len(read) == 2, read)
        check(f"file {number} keeps the first key as the second", rotated[1:] == made and rotated[0] != made[0])
        check(f"file {number} is for its owner alone", os.stat(file).st_mode & 0o777 == 0o600)
    os.chmod(file, 0o640)
    answer = ours.ask("keys", file=file)
    check("a file that others may read is refused", "mode 0640" in answer.get("refused", ""), answer)
    print("files: 20 were made and rotated")


def arguments():
    parser = verdict.Arguments(__doc__, seed="of lengths, cuts and bits")
    parser.add_argument("--messages", type=int, default=300, help="messages that are opened")
    return parser.parse_args()


def play(_, folder):
    print(f"seed {OPTIONS.seed}")
    dice, ours = random.Random(OPTIONS.seed), Ours(OPTIONS.bin / "watchwise-seal")
    for trial in [lambda: messages(ours, dice, OPTIONS.messages), lambda: devices(ours, dice, 200),
                  lambda: tokens(ours, dice), lambda: authorization(ours, folder), lambda: files(ours, folder)]:
        try:
            trial()
        except Exception as error:
            check("a trial went on to its end", False, repr(error))
    check("watchwise-seal ends in order", ours.end() == 0)


OPTIONS = arguments()
sys.exit(verdict.run(play, CHECKS, "sealing", keeps=False))
