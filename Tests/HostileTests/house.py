"""The server under test, and clients that behave."""

import asyncio
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

MIB = 1 << 20


class House:
    """A server process on a port and a folder of its own."""

    def __init__(self, binary, *options, descriptors=None, secret=None):
        self.binary = str(binary)
        self.folder = tempfile.mkdtemp(prefix="watchwise-hostile-")
        if secret:
            # Tokens of another folder are valid here, too.
            os.mkdir(f"{self.folder}/data", 0o700)
            shutil.copy(secret, f"{self.folder}/data/secret")
            os.chmod(f"{self.folder}/data/secret", 0o600)
        self.log = open(f"{self.folder}/server.log", "w")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", "127.0.0.1:0", "--data", f"{self.folder}/data", *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True,
            preexec_fn=descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors)))  # noqa: PLW1509
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            raise SystemExit(f"the server did not start, see {self.folder}/server.log")
        self.port = int(line.rsplit(":", 1)[1])
        self.admin = self.token("operator", "--admin")

    def token(self, user, *options):
        return subprocess.run(
            [self.binary, "token", user, "--data", f"{self.folder}/data", *options],
            capture_output=True, text=True, check=True).stdout.strip()

    def resident(self):
        """Bytes of memory the process takes."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor(self):
        """Seconds of CPU used so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def lives(self):
        return self.process.poll() is None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process.stdout.close()
        self.log.close()
        if code == 0:
            shutil.rmtree(self.folder, ignore_errors=True)
        return code


def frame(opcode, payload=b"", final=True, flags=0, masked=True, announced=None, mask=b"\x37\xfa\x21\x3d"):
    """A frame of RFC 6455; `announced` lies about its length."""
    size = len(payload) if announced is None else announced
    head = bytes([(0x80 if final else 0) | flags | opcode])
    bit = 0x80 if masked else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 1 << 16:
        head += bytes([bit | 126]) + size.to_bytes(2, "big")
    else:
        head += bytes([bit | 127]) + size.to_bytes(8, "big")
    if not masked:
        return head + payload
    key = int.from_bytes((mask * (len(payload) // 4 + 1))[:len(payload)], "big")
    return head + mask + (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")


def text(value, **options):
    return frame(1, (value if isinstance(value, str) else json.dumps(value)).encode(), **options)


def upgrade(path="/v1/ws", **fields):
    """The request that opens a WebSocket; a field that is None is left out."""
    given = {"Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade",
             "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"}
    given.update({name.replace("_", "-"): value for name, value in fields.items()})
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value is not None)
    return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


class Refused(ConnectionError):
    """A session that was not begun, with the code of the error or of the close."""

    def __init__(self, code):
        super().__init__(f"the hello was answered with {code}")
        self.code = code


class Peer:
    """A raw connection: a test sends and reads exact bytes."""

    inflater = None

    @classmethod
    async def open(cls, port, first=b"", receive_buffer=None):
        import socket
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
        hello = {"id": 0, "type": "hello", "token": token}
        if device:
            hello["device"] = device
        peer.write(text(hello))
        while True:
            message = await peer.message()
            if message.get("type") == "live":
                return peer
            if "closed" in message or "error" in message:
                peer.close()
                raise Refused(message.get("closed") or message["error"]["code"])

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
                if size == 126:
                    size = int.from_bytes(await self.reader.readexactly(2), "big")
                elif size == 127:
                    size = int.from_bytes(await self.reader.readexactly(8), "big")
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
            if opcode == 1:
                return json.loads(payload)
            if opcode == 8:
                return {"closed": int.from_bytes(payload[:2], "big") if payload else 1005}
            if opcode == 9:
                self.write(frame(10, payload))

    async def ok(self, command):
        """Sends a command with an id and waits for its reply."""
        self.write(text(command))
        while True:
            message = await self.message()
            if message.get("re") == command["id"] or "closed" in message:
                return message

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


class Company:
    """Pairs of people who chat and measure their round trips."""

    PAUSE = 0.01

    def __init__(self, port, tokens, record):
        self.port, self.tokens, self.record = port, tokens, record
        self.tasks = []

    async def start(self):
        for number in range(len(self.tokens) // 2):
            first = await Peer.session(self.port, self.tokens[2 * number], "phone")
            second = await Peer.session(self.port, self.tokens[2 * number + 1], "phone")
            await first.ok({"id": 1, "type": "follow", "topic": f"user:bob{number}"})
            reply = await first.ok(
                {"id": 2, "type": "recommend", "to": f"bob{number}", "product": {"id": "movie/603"}, "key": "open"})
            self.tasks.append(asyncio.create_task(self.chat(first, reply["ok"]["chat"])))
            self.tasks.append(asyncio.create_task(self.listen(second)))

    async def chat(self, peer, chat):
        number = 10
        while True:
            for kind in ("ping", "send"):
                number += 1
                command = {"id": number, "type": kind}
                if kind == "send":
                    command |= {"chat": chat, "text": "seen it?", "key": f"k{number}"}
                began = time.monotonic()
                try:
                    reply = await peer.ok(command)
                except (OSError, TimeoutError) as problem:
                    reply = {"problem": repr(problem)}
                if "ok" not in reply:
                    self.record.write(f"failed 0 {json.dumps(reply)}\n")
                    if "error" not in reply:
                        return
                self.record.write(f"{kind} {began} {time.monotonic() - began}\n")
                await asyncio.sleep(self.PAUSE)

    async def listen(self, peer):
        while "closed" not in await peer.message(None):
            pass


async def keep_company(port, tokens, path):
    """Chats until the process is ended; each round trip is a line of the file: kind, when it began, how long it took."""
    company = Company(port, tokens, open(path, "w", buffering=1))
    await company.start()
    await asyncio.gather(*company.tasks)


class Guests:
    """The people in a process of its own, so that the attackers do not use its time slices."""

    def __init__(self, house, pairs=4):
        self.path = f"{house.folder}/company"
        tokens = [house.token(f"{name}{number}") for number in range(pairs) for name in ("alice", "bob")]
        self.process = subprocess.Popen([sys.executable, __file__, str(house.port), self.path, *tokens])
        self.read = 0
        self.samples, self.failures = [], []

    def look(self):
        """Reads the new lines of the file."""
        if not pathlib.Path(self.path).exists():
            return
        with open(self.path) as file:
            file.seek(self.read)
            for line in iter(file.readline, ""):
                if not line.endswith("\n"):
                    break
                self.read = file.tell()
                kind, began, took = line.rstrip("\n").split(" ", 2)
                if kind == "failed":
                    self.failures.append(took)
                else:
                    self.samples.append((kind, float(began), float(took) * 1000))

    def between(self, start, end):
        """p50, p99 and maximum, in milliseconds, of pings and of sends begun in a span."""
        self.look()

        def figures(wanted):
            found = sorted(took for kind, began, took in self.samples if kind == wanted and start <= began < end)
            if not found:
                return 0, 0, 0
            return found[len(found) // 2], found[min(len(found) - 1, len(found) * 99 // 100)], found[-1]
        return figures("ping"), figures("send")

    def stop(self):
        self.process.kill()
        self.process.wait()


if __name__ == "__main__":
    asyncio.run(keep_company(int(sys.argv[1]), sys.argv[3:], sys.argv[2]))
