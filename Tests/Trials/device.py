"""WebSocket clients (RFC 6455) with the standard library alone: one that waits, one for asyncio, and devices on top of them."""

import asyncio
import base64
import hashlib
import json
import os
import socket
import struct
import threading
import zlib

HANDSHAKE = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
CONTINUED, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10


def frame(opcode, payload=b"", final=True, flags=0, masked=True, announced=None, mask=b"\x37\xfa\x21\x3d"):
    """A frame; `announced` lies about its length."""
    size = len(payload) if announced is None else announced
    bit = 0x80 if masked else 0
    head = bytes([(0x80 if final else 0) | flags | opcode])
    if size < 126:
        head += bytes([bit | size])
    else:
        head += struct.pack("!BH", bit | 126, size) if size < 1 << 16 else struct.pack("!BQ", bit | 127, size)
    return head + mask + unmasked(payload, mask) if masked else head + payload


def unmasked(payload, mask):
    """The payload without its mask, or with it."""
    key = int.from_bytes((mask * (len(payload) // 4 + 1))[:len(payload)], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")


def text(value, **options):
    return frame(TEXT, (value if isinstance(value, str) else json.dumps(value)).encode(), **options)


def upgrade(path="/v1/ws", **fields):
    """The request that opens a WebSocket; a field that is None is left out."""
    given = {"Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade",
             "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}
    given.update({name.replace("_", "-"): value for name, value in fields.items()})
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value is not None)
    return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


def accepted(key):
    """What a server answers to a client's key (section 4.2.2)."""
    return base64.b64encode(hashlib.sha1((key + HANDSHAKE).encode()).digest()).decode()


class Ended(ConnectionError):
    """The connection has ended, with the code and the reason of the close, if there was one."""

    def __init__(self, code=1006, reason=""):
        super().__init__(f"the connection ended with {code} {reason}")
        self.code = code

    @classmethod
    def by(cls, payload):
        """By a close frame."""
        return cls(int.from_bytes(payload[:2], "big") if payload else 1005, payload[2:].decode(errors="replace"))


class Refused(ConnectionError):
    """A command, or a session, that was not taken; `code` is that of the error or of the close."""

    def __init__(self, kind, error):
        super().__init__(f"{kind}: {error}")
        self.error, self.code = error, error["code"] if isinstance(error, dict) else error


class Socket:
    """One end of a connection that waits: messages of JSON. One thread may send while another receives."""

    def __init__(self, connection, is_client=False):
        self.connection, self.is_client = connection, is_client
        self.held, self.lock = b"", threading.Lock()

    @classmethod
    def connect(cls, port, path="/v1/ws", seconds=10, connection=None):
        """A client's end."""
        connection = connection or socket.create_connection(("127.0.0.1", port), timeout=seconds)
        if isinstance(connection, socket.socket):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self = cls(connection, is_client=True)
        key = base64.b64encode(os.urandom(16)).decode()
        connection.sendall(upgrade(path, Host=f"127.0.0.1:{port}", Sec_WebSocket_Key=key))
        status, headers = self.head()
        if " 101 " not in status or headers["sec-websocket-accept"] != accepted(key):
            raise OSError(f"no WebSocket: {status}")
        return self

    def shake_hands(self):
        """The server's end."""
        _, headers = self.head()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Accept: {accepted(headers['sec-websocket-key'])}"]
        if protocol := headers.get("sec-websocket-protocol"):
            lines.append(f"Sec-WebSocket-Protocol: {protocol.split(',')[0].strip()}")
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode())

    def head(self):
        """The first line of a message of HTTP, and its fields."""
        while b"\r\n\r\n" not in self.held:
            self.more()
        head, self.held = self.held.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        return first, {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def more(self):
        data = self.connection.recv(65536)
        if not data:
            raise Ended()
        self.held += data

    def take(self, count):
        while len(self.held) < count:
            self.more()
        taken, self.held = self.held[:count], self.held[count:]
        return taken

    def frame(self):
        """The next frame: whether it is the last of its message, its opcode and its payload."""
        head = self.take(2)
        size = head[1] & 127
        if size >= 126:
            size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
        mask = self.take(4) if head[1] & 0x80 else None
        payload = self.take(size)
        return head[0] & 0x80, head[0] & 15, unmasked(payload, mask) if mask else payload

    def receive(self):
        """The value of the next message. Raises Ended, or TimeoutError."""
        return json.loads(self.receive_text())

    def receive_text(self):
        """The next message; pings are answered."""
        whole = b""
        while True:
            is_last, opcode, payload = self.frame()
            if opcode == CLOSE:
                raise Ended.by(payload)
            if opcode == PING:
                self.write(PONG, payload)
            elif opcode in (CONTINUED, TEXT):
                whole += payload
                if is_last:
                    return whole.decode()

    def send(self, message):
        self.write(TEXT, (message if isinstance(message, str) else json.dumps(message)).encode())

    def write(self, opcode, payload):
        with self.lock:
            self.connection.sendall(frame(opcode, payload, masked=self.is_client, mask=os.urandom(4)))

    def close(self):
        self.connection.close()


class Session(Socket):
    """A session of a device that waits for its replies."""

    last_id = 0

    @classmethod
    def open(cls, port, token, device, connection=None):
        """A session that is live; `hello` is the answer to its hello."""
        self = cls.connect(port, connection=connection)
        self.hello = self.command(type="hello", token=token, device=device)
        while self.receive().get("type") != "live":
            pass
        return self

    def ask(self, **command):
        """Sends a command; returns its id."""
        self.last_id += 1
        self.send({"id": self.last_id, **command})
        return self.last_id

    def command(self, **command):
        """Sends a command; returns its `ok`."""
        number = self.ask(**command)
        while (message := self.receive()).get("re") != number:
            pass
        if "error" in message:
            raise Refused(command["type"], message["error"])
        return message["ok"]


class Peer:
    """A connection for asyncio: raw bytes, frames, messages, and a session on it."""

    inflater = None
    last_id = 0

    @classmethod
    async def open(cls, port, first=b"", receive_buffer=None):
        """A connection alone."""
        peer = cls()
        raw = socket.socket()
        if receive_buffer:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", port))
        peer.reader, peer.writer = await asyncio.open_connection(sock=raw, limit=1 << 16)
        if first:
            peer.writer.write(first)
        return peer

    @classmethod
    async def socket(cls, port, path="/v1/ws", **fields):
        """An open WebSocket."""
        buffer = fields.pop("receive_buffer", None)
        peer = await cls.open(port, upgrade(path, **fields), buffer)
        status, _, _ = await peer.answer()
        if status != 101:
            raise ConnectionError(f"upgrade answered {status}")
        return peer

    @classmethod
    async def session(cls, port, token, device=None, **fields):
        """A session that is live."""
        peer = await cls.socket(port, **fields)
        peer.write(text({"id": 0, "type": "hello", "token": token} | ({"device": device} if device else {})))
        while True:
            message = await peer.message()
            if message.get("type") == "live":
                return peer
            if "closed" in message or "error" in message:
                peer.close()
                raise Refused("hello", message.get("closed") or message["error"])

    def write(self, data):
        self.writer.write(data)

    async def send(self, data):
        """Sends and waits until the kernel has accepted nearly all bytes; false when the server has ended the connection."""
        try:
            self.writer.write(data)
            await self.writer.drain()
            return True
        except OSError:
            return False

    async def answer(self, patience=12, isHead=False):
        """One HTTP answer: status, headers, body; status 0 when the connection ended without one."""
        try:
            head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), patience)
        except TimeoutError:
            raise
        except (asyncio.IncompleteReadError, OSError):
            return 0, {}, b""
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        status = int(lines[0].split(" ")[1])
        count = int(headers.get("content-length", 0)) if status >= 200 and not isHead else 0
        body = await asyncio.wait_for(self.reader.readexactly(count), patience) if count else b""
        return status, headers, body

    async def frame(self, patience=12):
        """One frame of the server: opcode and payload; opcode None when the connection ended."""
        try:
            async with asyncio.timeout(patience):
                head = await self.reader.readexactly(2)
                size = head[1] & 127
                if size >= 126:
                    size = int.from_bytes(await self.reader.readexactly(2 if size == 126 else 8), "big")
                payload = await self.reader.readexactly(size)
                return head[0] & 15, self.inflated(payload) if head[0] & 0x40 else payload
        except TimeoutError:
            raise
        except (asyncio.IncompleteReadError, OSError):
            return None, b""

    def inflated(self, payload):
        """A compressed message as it was (RFC 7692, section 7.2.2); the server compresses those that are long enough."""
        if self.inflater is None:
            self.inflater = zlib.decompressobj(-15)
        return self.inflater.decompress(payload + b"\x00\x00\xff\xff")

    async def message(self, patience=12):
        """One JSON message; pings are answered; `{"closed": code}` at the end."""
        while True:
            opcode, payload = await self.frame(patience)
            if opcode is None:
                return {"closed": 1006}
            if opcode == TEXT:
                return json.loads(payload)
            if opcode == CLOSE:
                return {"closed": int.from_bytes(payload[:2], "big") if payload else 1005}
            if opcode == PING:
                self.write(frame(PONG, payload))

    async def receive(self, patience=None):
        """One message. Raises Ended."""
        message = await self.message(patience)
        if "closed" in message:
            raise Ended(message["closed"])
        return message

    async def ok(self, command):
        """Sends a command with an id and waits for its reply."""
        self.write(text(command))
        while True:
            message = await self.message()
            if message.get("re") == command["id"] or "closed" in message:
                return message

    async def ask(self, kind, **fields):
        """The `ok` of a command. Raises Refused."""
        self.last_id += 1
        reply = await self.ok({"id": self.last_id, "type": kind, **fields})
        if "ok" not in reply:
            raise Refused(kind, reply.get("error", reply.get("closed")))
        return reply["ok"]

    async def end(self, patience=12):
        """Reads to the end: the close code, 1006 when there was none, None when it does not end."""
        try:
            async with asyncio.timeout(patience):
                while True:
                    message = await self.message(None)
                    if "closed" in message:
                        return message["closed"]
        except TimeoutError:
            return None

    def close(self):
        if self.writer.transport:
            self.writer.transport.abort()


class Device:
    """A device for asyncio that stays connected, resumes at its cursor after a break, and records every durable event.

    Its `world` has `port`, `tokens`, and the functions `problem(text)` and `refused(error)`.
    """

    def __init__(self, world, user, name):
        self.world, self.user, self.name = world, user, name
        self.since, self.events, self.waiting, self.number = None, {}, {}, 0
        self.socket, self.ends, self.ready = None, [], asyncio.Event()
        self.task = asyncio.create_task(self.live())

    async def live(self):
        while True:
            try:
                await self.session()
            except OSError as end:
                self.ends.append(str(end))
            self.ready.clear()
            self.socket = None
            for future in self.waiting.values():
                if not future.done():
                    future.set_result(None)
            self.waiting.clear()
            await asyncio.sleep(0.05)

    async def session(self):
        socket = await Peer.socket(self.world.port)
        try:
            hello = {"id": 0, "type": "hello", "token": self.world.tokens[self.user], "device": self.name}
            socket.write(text(hello | ({"since": self.since} if self.since else {})))
            while True:
                message = await socket.receive()
                if message.get("re") == 0:
                    if "error" in message:
                        self.world.refused(message["error"])
                        raise Refused("hello", message["error"])
                    if not self.since:
                        self.since = {"epoch": message["ok"]["epoch"], "seq": message["ok"]["seq"]}
                elif "re" in message:
                    future = self.waiting.pop(message["re"], None)
                    if future and not future.done():
                        future.set_result(message)
                else:
                    self.take(message, socket)
        finally:
            socket.close()

    def take(self, event, socket):
        kind = event.get("type")
        if kind == "live":
            self.socket = socket
            self.ready.set()
        if kind == "reset":
            self.world.problem(f"{self.user}/{self.name} was reset: {event}")
        if kind in ("live", "beat", "reset") or "seq" not in event:
            return
        if event["seq"] <= self.since["seq"]:
            self.world.problem(f"{self.user}/{self.name}: {event['seq']} after {self.since['seq']}")
        self.since["seq"] = event["seq"]
        self.events[event["seq"]] = event

    async def ask(self, command, timeout=30):
        """The reply; waits for the connection first. Raises Ended when it breaks."""
        await asyncio.wait_for(self.ready.wait(), timeout)
        self.number += 1
        number = self.number
        future = asyncio.get_running_loop().create_future()
        self.waiting[number] = future
        if self.socket is None:
            raise Ended()
        self.socket.write(text(command | {"id": number}))
        reply = await asyncio.wait_for(future, timeout)
        if reply is None:
            raise Ended()
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
            self.world.refused(reply["error"])
            if reply["error"]["class"] != "retry":
                self.world.problem(f"{command} was refused: {reply['error']}")
                raise Refused(command["type"], reply["error"])
            await asyncio.sleep(min(reply["error"].get("retryAfterMs", 200), 200) / 1000)
