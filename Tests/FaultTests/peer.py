"""A WebSocket client and a few people who talk, remember acknowledged messages, and repeat all others."""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import pathlib
import struct
import time


class Ended(Exception):
    """The connection has ended."""


def token(data, user, scope=None, shift=0):
    """A token signed with the server's own secret, good for a day from `shift` seconds on."""
    secret = bytes.fromhex(pathlib.Path(data, "secret").read_text().strip())
    claims = {"sub": user, "exp": int(time.time()) + shift + 86400} | ({"scope": scope} if scope else {})

    def part(content):
        return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=")

    text = part({"alg": "HS256", "typ": "JWT"}) + b"." + part(claims)
    mac = hmac.new(secret, text, hashlib.sha256).digest()
    return (text + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()


async def get(port, path, bearer=None):
    """Status and body of a GET."""
    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 5)
    authorization = f"Authorization: Bearer {bearer}\r\n" if bearer else ""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{authorization}\r\n".encode())
    answer = await asyncio.wait_for(reader.read(), 5)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body.decode()


def frame(text):
    """A masked text frame."""
    data, mask = text.encode(), os.urandom(4)
    length = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0xFE, len(data))
    return b"\x81" + length + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))


class Socket:
    """One WebSocket; JSON in and out."""

    @classmethod
    async def open(cls, port):
        self = cls()
        try:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
            self.writer.write(
                b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (OSError, asyncio.IncompleteReadError) as error:
            raise Ended(str(error)) from error
        if b" 101 " not in head:
            raise Ended(head.decode())
        return self

    def send(self, value):
        self.writer.write(frame(json.dumps(value)))

    async def receive(self):
        try:
            while True:
                head = await self.reader.readexactly(2)
                length = head[1] & 0x7F
                if length == 126:
                    length = struct.unpack("!H", await self.reader.readexactly(2))[0]
                elif length == 127:
                    length = struct.unpack("!Q", await self.reader.readexactly(8))[0]
                body = await self.reader.readexactly(length)
                kind = head[0] & 0x0F
                if kind == 1:
                    return json.loads(body)
                if kind == 8:
                    raise Ended(f"closed {struct.unpack('!H', body[:2])[0] if body else ''}")
                if kind == 9:
                    self.writer.write(b"\x8a\x80" + os.urandom(4))
        except (OSError, asyncio.IncompleteReadError) as error:
            raise Ended(str(error)) from error


class Device:
    """A device that stays connected, resumes after a break, and records every durable event."""

    def __init__(self, town, user, name):
        self.town, self.user, self.name = town, user, name
        self.since = None
        self.events = {}
        self.waiting = {}
        self.number = 0
        self.socket = None
        self.ends = []
        self.ready = asyncio.Event()
        self.task = asyncio.create_task(self.live())

    async def live(self):
        while True:
            try:
                await self.session()
            except Ended as end:
                self.ends.append(str(end))
            self.ready.clear()
            self.socket = None
            for future in self.waiting.values():
                if not future.done():
                    future.set_result(None)
            self.waiting.clear()
            await asyncio.sleep(0.05)

    async def session(self):
        socket = await Socket.open(self.town.port)
        try:
            hello = {"id": 0, "type": "hello", "token": self.town.tokens[self.user], "device": self.name}
            if self.since:
                hello["since"] = self.since
            socket.send(hello)
            while True:
                message = await socket.receive()
                if message.get("re") == 0:
                    if "error" in message:
                        self.town.refused(message["error"])
                        raise Ended(message["error"]["code"])
                    ok = message["ok"]
                    if not self.since:
                        self.since = {"epoch": ok["epoch"], "seq": ok["seq"]}
                elif "re" in message:
                    future = self.waiting.pop(message["re"], None)
                    if future and not future.done():
                        future.set_result(message)
                else:
                    self.take(message, socket)
        finally:
            socket.writer.close()

    def take(self, event, socket):
        kind = event.get("type")
        if kind == "live":
            self.socket = socket
            self.ready.set()
        if kind == "reset":
            self.town.problem(f"{self.user}/{self.name} was reset: {event}")
        if kind in ("live", "beat", "reset") or "seq" not in event:
            return
        if event["seq"] <= self.since["seq"]:
            self.town.problem(f"{self.user}/{self.name}: {event['seq']} after {self.since['seq']}")
        self.since["seq"] = event["seq"]
        self.events[event["seq"]] = event

    async def ask(self, command, timeout=30):
        """The reply; waits for the connection first. Throws Ended when it breaks."""
        await asyncio.wait_for(self.ready.wait(), timeout)
        self.number += 1
        number = self.number
        future = asyncio.get_running_loop().create_future()
        self.waiting[number] = future
        if self.socket is None:
            raise Ended("not connected")
        self.socket.send(command | {"id": number})
        reply = await asyncio.wait_for(future, timeout)
        if reply is None:
            raise Ended("the connection is gone")
        return reply

    async def insist(self, command):
        """The `ok`, however often it must be repeated."""
        while True:
            try:
                reply = await self.ask(command)
            except Ended:
                continue
            if "ok" in reply:
                return reply["ok"]
            self.town.refused(reply["error"])
            if reply["error"]["class"] != "retry":
                self.town.problem(f"{command} was refused: {reply['error']}")
                raise Ended("refused for good")
            await asyncio.sleep(min(reply["error"].get("retryAfterMs", 200), 200) / 1000)


class Town:
    """Pairs of people who write to each other, two devices each, and the record of acknowledged messages."""

    def __init__(self, server, pairs=4, pace=0.004):
        self.server, self.pace = server, pace
        self.acknowledged, self.tried, self.problems, self.refusals = {}, {}, [], []
        self.latest = 0.0
        self.pairs = [(f"a{number}", f"b{number}") for number in range(pairs)]
        self.tokens = {user: token(server.data, user) for pair in self.pairs for user in pair}
        self.isWriting = True

    @property
    def port(self):
        return self.server.port

    def problem(self, text):
        if len(self.problems) < 20:
            self.problems.append(text)

    def refused(self, error):
        self.refusals.append(error)

    async def begin(self):
        self.devices = {(user, name): Device(self, user, name) for user in self.tokens for name in ("phone", "tablet")}
        for left, right in self.pairs:
            for one, other in ((left, right), (right, left)):
                await self.devices[one, "phone"].insist({"type": "follow", "topic": f"user:{other}", "key": "follow"})
        self.writers = [
            asyncio.create_task(self.write(one, other))
            for pair in self.pairs for one, other in (pair, pair[::-1])]

    async def write(self, user, other):
        number = 0
        while self.isWriting:
            number += 1
            key = f"{user}-{number}"
            self.tried[key] = (user, number)
            ok = await self.devices[user, "phone"].insist({"type": "send", "to": other, "text": key, "key": key})
            self.acknowledged[key] = (ok["chat"], ok["n"], ok["seq"])
            self.latest = time.monotonic()
            await asyncio.sleep(self.pace)

    async def next_ok(self, timeout=10):
        """Seconds until the next acknowledgement; None when there is none."""
        began = time.monotonic()
        while self.latest < began:
            if time.monotonic() - began > timeout:
                return None
            await asyncio.sleep(0.005)
        return self.latest - began

    async def settle(self):
        """Ends the writing, waits for every device, and compares all records. Returns the problems."""
        self.isWriting = False
        done, late = await asyncio.wait(self.writers, timeout=20)
        if late:
            self.problem(f"{len(late)} writers got no answer")
            for task in late:
                task.cancel()
        for task in done:
            if task.exception():
                self.problem(f"a writer ended: {task.exception()!r}")
        for left, right in self.pairs:
            await self.compare(left, right)
        for device in self.devices.values():
            device.task.cancel()
        return self.problems

    async def compare(self, left, right):
        chat = ":".join(sorted((left, right)))
        history = []
        while True:
            page = await self.devices[left, "tablet"].insist(
                {"type": "history", "chat": chat, "after": history[-1]["n"] if history else 0, "limit": 200})
            history += page["messages"]
            if not page["messages"] or "next" not in page or page["next"] is None:
                break
        if [message["n"] for message in history] != list(range(1, len(history) + 1)):
            self.problem(f"{chat}: numbers with gaps, {len(history)} messages")
        texts = [message["text"] for message in history]
        if len(set(texts)) != len(texts):
            self.problem(f"{chat}: {len(texts) - len(set(texts))} doubled")
        for key, (user, _) in self.tried.items():
            if user in (left, right) and key in self.acknowledged:
                place = self.acknowledged[key]
                if place[1] > len(history) or texts[place[1] - 1] != key:
                    self.problem(f"{key} was acknowledged as {place} and is not there")
        for user in (left, right):
            numbers = [int(text.rsplit("-", 1)[1]) for text in texts if text.startswith(user + "-")]
            if numbers != sorted(numbers):
                self.problem(f"{chat}: the messages of {user} are out of order")
            for name in ("phone", "tablet"):
                await self.check_device(self.devices[user, name], chat, history)

    async def check_device(self, device, chat, history):
        expected = [(message["n"], message["text"]) for message in history]

        def seen():
            return [
                (event["n"], event["text"]) for event in device.events.values()
                if event["type"] == "message" and event["chat"] == chat]

        deadline = time.monotonic() + 10
        while len(seen()) < len(expected) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        if seen() != expected:
            missing = len(set(expected) - set(seen()))
            self.problem(f"{device.user}/{device.name} saw {len(seen())} of {len(expected)}, {missing} missing")
