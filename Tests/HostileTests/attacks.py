"""Attacks at full speed. Each returns a counter of the answers that it got."""

import asyncio
import collections
import random
import time
import zlib

from house import MIB
from Trials.device import Peer, Refused, frame, text, upgrade


class Attack:
    """An attack: `seconds` of work of `workers` at a time; `allowed` are the only answers that an attacker may get, and
    those in `ideal` must make up nearly all of them."""

    def __init__(self, name, run, workers, ideal, also=(), descriptors=0):
        self.name, self.run, self.workers, self.descriptors = name, run, workers, descriptors
        self.ideal, self.allowed = set(ideal), set(ideal) | set(also)


async def repeat(field, work):
    """Does `work` again and again with a few tasks until the time is over; counts the answers."""
    told = collections.Counter()

    async def one(number):
        while time.monotonic() < field.until:
            try:
                told[await asyncio.wait_for(work(number), max(field.until - time.monotonic(), 0) + 13)] += 1
            except TimeoutError:
                told["silence"] += 1
            except Refused as refused:
                told[refused.code] += 1
            except OSError:
                told["cut"] += 1

    await asyncio.gather(*(one(number) for number in range(field.workers)))
    return told


def request(method, target, body=b"", token=None, **fields):
    fields = {"Host": "localhost", **{name.replace("_", "-"): value for name, value in fields.items()}}
    if token:
        fields["Authorization"] = f"Bearer {token}"
    if body:
        fields.setdefault("Content-Length", len(body))
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode() + body


async def never_reads(field):
    """Sessions that read nothing, of users who get messages."""
    house = field.house
    tokens = [house.token(f"bob{number}") for number in range(4)]
    writer = await Peer.session(house.port, house.token("alice0"), "flood")
    peers = []
    for number in range(field.workers):
        peers.append(await Peer.session(
            house.port, tokens[0 if number % 4 else number % len(tokens)], f"deaf{number}", receive_buffer=4096))
        for _ in range(3):
            peers[-1].write(text({"id": 9, "type": "history", "chat": "alice0:bob0", "limit": 200}))
    number = 0
    while time.monotonic() < field.until:
        number += 1
        await writer.ok({"id": number, "type": "send", "chat": "alice0:bob0", "text": "x" * 3900, "key": f"f{number}"})
        await asyncio.sleep(0.02)
    for peer in peers + [writer]:
        peer.close()
    return collections.Counter({"kept": len(peers)})


async def never_finishes(field):
    """Connections with an incomplete request; some of them send a byte a second."""
    beginnings = [b"", b"GET /v1/ws HTT", upgrade()[:-2], request("POST", "/v1/commands", token=field.token)[:-2]
                  + b"Content-Length: 4000\r\n\r\n{", b"\x16\x03\x01\x02\x00\x01\x00"]
    told = collections.Counter()

    async def one(number):
        began = time.monotonic()
        try:
            peer = await Peer.open(field.house.port, beginnings[number % len(beginnings)])
            began = time.monotonic()
            drip = asyncio.create_task(drop(peer)) if number % 10 in (1, 2) else None
            status, _, _ = await peer.answer(20)
            told[status or "closed"] += 1
            if drip:
                drip.cancel()
            peer.close()
        except TimeoutError:
            told["silence"] += 1
        except OSError:
            told["cut"] += 1
        told["late"] += time.monotonic() - began > 11 + field.grace

    async def drop(peer):
        while True:
            await asyncio.sleep(1)
            if not await peer.send(b"x"):
                return

    waiting = []
    for number in range(field.workers):
        waiting.append(asyncio.create_task(one(number)))
        if number % 100 == 99:
            await asyncio.sleep(0.02)
    await asyncio.gather(*waiting)
    if not told["late"]:
        del told["late"]
    return told


def deflated(data, bits=15):
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -bits)
    return (squeeze.compress(data) + squeeze.flush(zlib.Z_SYNC_FLUSH))[:-4]


BOMB = deflated(b" " * (64 * MIB))
SMALL_BOMB = deflated(b'{"id":1,"type":"ping","x":"' + b" " * (120 * 1024) + b'"}')
DEFLATE = {"Sec_WebSocket_Extensions": "permessage-deflate"}


async def bomb(field):
    """A message that inflates to 64 MiB, whole and in pieces; and many that stay under the size of a message."""
    async def one(number):
        peer = await Peer.socket(field.house.port, **DEFLATE)
        if number % 3 == 0:
            await peer.send(frame(1, BOMB, flags=0x40))
        elif number % 3 == 1:
            pieces = [BOMB[place:place + 2000] for place in range(0, len(BOMB), 2000)]
            for place, piece in enumerate(pieces):
                final = place == len(pieces) - 1
                if not await peer.send(frame(0 if place else 1, piece, final=final, flags=0 if place else 0x40)):
                    break
        else:
            for _ in range(400):
                if not await peer.send(frame(1, SMALL_BOMB, flags=0x40)):
                    break
        code = await peer.end()
        peer.close()
        return code
    return await repeat(field, one)


async def compressed_body(field):
    """A bomb as the body of a request: the server supports no content coding, and decodes none."""
    import gzip
    body = gzip.compress(b" " * (8 * MIB))

    async def one(_):
        peer = await Peer.open(field.house.port, request(
            "POST", "/v1/commands", body, field.token, Content_Encoding="gzip", Connection="close"))
        status, _, _ = await peer.answer()
        peer.close()
        return status
    return await repeat(field, one)


def flood(data, pieces=400):
    """A session that sends the same bytes as fast as the server accepts them."""
    async def run(field):
        async def one(number):
            peer = await Peer.session(field.house.port, field.token, f"flood{number}")
            for _ in range(pieces):
                if not await peer.send(data):
                    break
            code = await peer.end()
            peer.close()
            return code
        return await repeat(field, one)
    return run


def ask(data, then=None):
    """A connection that sends bytes, perhaps more as long as the server accepts them, and waits for the answer."""
    async def run(field):
        async def one(_):
            first = data(field) if callable(data) else data
            peer = await Peer.open(field.house.port, first)
            more = asyncio.create_task(pour(peer, then)) if then else None
            status, _, _ = await peer.answer()
            if more:
                more.cancel()
            peer.close()
            return status or "closed"
        return await repeat(field, one)

    async def pour(peer, piece):
        while await peer.send(piece):
            await asyncio.sleep(0)
    return run


async def noise(field):
    chance = random.Random(7)

    async def one(_):
        peer = await Peer.open(field.house.port, chance.randbytes(chance.randrange(1, 5000)) + b"\r\n\r\n")
        status, _, _ = await peer.answer()
        peer.close()
        return status or "closed"
    return await repeat(field, one)


async def opened_and_closed(field):
    async def one(_):
        peer = await Peer.open(field.house.port)
        peer.close()
        return "closed"
    return await repeat(field, one)


async def huge_frame(field):
    async def one(number):
        size = [1 << 62, 1 << 40, MIB, 131073][number % 4]
        peer = await Peer.socket(field.house.port)
        await peer.send(frame(1, b"x" * 1000, announced=size))
        code = await peer.end()
        peer.close()
        return code
    return await repeat(field, one)


async def deep_JSON(field):
    """JSON nested as deep as its size allows, over HTTP and over a WebSocket."""
    deep = '{"id":1,"type":"ping","x":' + "[" * 60_000
    objects = '{"a":' * 20_000

    async def one(number):
        if number % 2:
            body = objects.encode()
            peer = await Peer.open(field.house.port, request("POST", "/v1/commands", body, field.token))
            status, _, _ = await peer.answer()
            peer.close()
            return status
        peer = await Peer.session(field.house.port, field.token, f"deep{number}")
        code = None
        for _ in range(20):
            peer.write(text(deep))
            message = await peer.message()
            while "error" not in message and "closed" not in message:
                message = await peer.message()
            code = message.get("closed") or message["error"]["code"]
        peer.close()
        return code
    return await repeat(field, one)


async def failing_hellos(field):
    async def one(_):
        peer = await Peer.socket(field.house.port)
        hello = text({"id": 1, "type": "hello", "token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0." + "A" * 43})
        await peer.send(hello * 50)
        code = await peer.end()
        peer.close()
        return code
    return await repeat(field, one)


async def endless_chunks(field):
    """A body in chunks that never ends, with a token: of spaces, then byte by byte."""
    async def one(number):
        target = "/v1/documents" if number % 2 else "/v1/commands"
        token = field.house.admin if number % 2 else field.token
        head = f"POST {target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nTransfer-Encoding: chunked\r\n\r\n"
        peer = await Peer.open(field.house.port, head.encode())
        piece = b"10000\r\n" + b" " * 65536 + b"\r\n" if number % 4 < 2 else b"1\r\n \r\n" * 1000
        more = asyncio.create_task(pour(peer, piece))
        status, _, _ = await peer.answer(15)
        more.cancel()
        peer.close()
        return status or "closed"

    async def pour(peer, piece):
        while await peer.send(piece):
            await asyncio.sleep(0)
    return await repeat(field, one)


async def greedy_bodies(field):
    """Bodies of a size that is allowed, from somebody who may send them and never finishes: together far more than is
    held for all."""
    async def one(_):
        head = request("POST", "/v1/documents", token=field.house.admin, Content_Length=8 * MIB)
        peer = await Peer.open(field.house.port, head)
        # Read from the start: bytes sent after the answer make the server reset the connection.
        answer = asyncio.create_task(peer.answer(15))
        for _ in range(100):
            if not await peer.send(b" " * 80_000):
                break
        status, _, _ = await answer
        peer.close()
        return status or "closed"
    return await repeat(field, one)


async def partial_messages(field):
    """Messages of nearly the allowed size, without their last byte."""
    async def one(number):
        peer = await Peer.socket(field.house.port)
        await peer.send(frame(1, b"x" * 131_000, announced=131_072))
        code = await peer.end(15)
        peer.close()
        return code
    return await repeat(field, one)


async def fragments(field):
    async def one(number):
        peer = await Peer.session(field.house.port, field.token, f"bits{number}")
        await peer.send(frame(1, b"x", final=False))
        piece = frame(0, b"", final=False) * 1000 if number % 2 else frame(0, b"x", final=False) * 1000
        for _ in range(200):
            if not await peer.send(piece):
                break
        code = await peer.end()
        peer.close()
        return code
    return await repeat(field, one)


PING = text({"id": 1, "type": "ping"})
ATTACKS = [
    Attack("readers that never read", never_reads, (60, 300), {"kept"}),
    Attack("requests that never finish", never_finishes, (500, 10_000), {408, 400, "closed"}, descriptors=10_000),
    Attack("bombs in messages", bomb, (6, 12), {1009, 4529}, {1006}),
    Attack("a bomb as a body", compressed_body, (4, 8), {415}),
    Attack("a flood of pings", flood(frame(9, b"") * 10_000), (4, 8), {4529}, {1006, 4409}),
    # The next hello of a user who floods may be refused, too.
    Attack("a flood of commands", flood(PING * 2000), (4, 8), {4529, "rate-limited"}, {1006, 4409}),
    Attack("a flood of requests", ask(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 2000), (4, 8), {200}),
    Attack("headers of 1 MB", ask(b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 170_000), (4, 8), {431}, {"cut"}),
    Attack("one header of 1 MB", ask(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"y" * MIB), (4, 8), {431}, {"cut"}),
    Attack("random bytes", noise, (8, 16), {400}, {505, 501, 414, 431}),
    Attack("connections opened and closed", opened_and_closed, (20, 50), {"closed"}),
    Attack("small fragments", fragments, (4, 8), {4529}, {1006}),
    Attack("frames of a huge length", huge_frame, (8, 16), {1009}),
    Attack("8 MB without a token", ask(
        request("POST", "/v1/documents", Content_Length=8 * MIB), b"x" * 65536), (8, 16), {401}),
    # On a fast machine one user's pace ends before the attack does.
    Attack("deep JSON", deep_JSON, (4, 8), {400, 429, "bad-request", "rate-limited"}),
    Attack("failing hellos", failing_hellos, (8, 16), {4401}),
    Attack("chunks without an end", endless_chunks, (8, 16), {413, 503, 408}),
    Attack("messages without an end", partial_messages, (100, 600), {4509, 4503, 4408}),
    Attack("bodies without an end", greedy_bodies, (16, 40), {408, 503}),
]
