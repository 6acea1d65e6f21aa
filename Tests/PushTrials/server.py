"""The server under test, its devices, and the fake of Apple's service that they are pushed by."""

import asyncio
import atexit
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import aiohttp
import jwt

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "PushProviders"))

from fakes import Fake, write_certificates, write_key  # noqa: E402

TOPIC, TEAM, KEY_ID = "org.watchwise.app", "TEAM123456", "KEY1234567"


class Checks:
    """Counts what was right."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what: str, seen: object, wanted: object) -> None:
        is_right = seen == wanted
        self.passed, self.failed = self.passed + is_right, self.failed + (not is_right)
        if not is_right:
            print(f"failed: {what}: {seen}, expected {wanted}", flush=True)


def conclude(folder: Path, passed: int, failed: int) -> int:
    """Ends a trial: the folder stays when something failed. Prints the last line; returns the exit code."""
    if failed:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def try_parts(name: str, parts: tuple, binary: str) -> int:
    """Tries the parts of a trial, each in a folder of its own. Returns the exit code."""
    folder = Path(tempfile.mkdtemp(prefix=f"watchwise-push-{name}-"))
    checks = Checks()
    for part in parts:
        began, before = time.monotonic(), checks.passed
        own = folder / part.__name__
        own.mkdir()
        part(binary, own, checks)
        print(f"{part.__name__}: {checks.passed - before} passed in {time.monotonic() - began:.0f} s", flush=True)
    return conclude(folder, checks.passed, checks.failed)


def wait(condition, seconds: float, pause: float = 0.02) -> bool:
    """Waits until the condition is true; false when it was not within the time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(pause)
    return False


def device_token(user: str) -> str:
    """The APNs token of a user's device. It ends in digits to which the fake gives no answer of its own."""
    return hashlib.sha256(user.encode()).hexdigest()[:58] + "aaaaaa"


class Providers:
    """The fake of APNs with its keys and certificates, in a folder."""

    def __init__(self, folder: Path, *options: str):
        self.folder = folder
        write_certificates(folder)
        write_key(folder / "apns.p8")
        self.apns = Fake("apns", folder, "--public-key", str(folder / "apns.p8"), "--key-id", KEY_ID, "--team", TEAM,
                         "--topic", TOPIC, *options)
        self.read = 0

    def settings(self) -> list[str]:
        return ["--outbound-authorities", str(self.folder / "ca.pem"), "--push-allow", "127.0.0.0/8",
                "--apns-url", self.apns.url, "--apns-key", str(self.folder / "apns.p8"), "--apns-key-id", KEY_ID,
                "--apns-team", TEAM, "--apns-topic", TOPIC]

    def pushes(self) -> list[dict]:
        """The requests that the fake has answered with 200 since the last call."""
        with open(self.apns.log_path) as log:
            log.seek(self.read)
            text = log.read()
        whole = text[: text.rfind("\n") + 1]
        self.read += len(whole.encode())
        lines = [json.loads(line) for line in whole.splitlines()]
        return [line for line in lines if line["event"] == "request" and line.get("status") == 200]

    def stop(self) -> None:
        self.apns.__exit__()


class Server:
    """The program, always on the same port and folder."""

    def __init__(self, binary: str, folder: Path, settings: list[str]):
        self.binary, self.folder, self.settings = binary, folder, settings
        self.data, self.port = str(folder / "data"), 0

    def environment(self) -> dict[str, str]:
        """The variables of the process."""
        return dict(os.environ)

    def start(self) -> None:
        self.log = open(self.folder / "server.log", "a")
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.data, *self.settings],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env=self.environment())
        # A trial that fails in the middle leaves no server.
        atexit.register(self.process.kill)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit(f"the server did not start: {(self.folder / 'server.log').read_text()[-600:]}")
        self.port = int(line.rsplit(":", 1)[1])
        self.admin = self.token("operator", "--admin")

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        code = self.process.wait()
        self.process.stdout.close()
        self.log.close()
        return code

    def token(self, user: str, *options: str) -> str:
        return subprocess.run([self.binary, "token", user, "--data", self.data, *options], capture_output=True,
                              text=True, check=True).stdout.strip()

    def tokens(self, users: list[str]) -> dict[str, str]:
        """Tokens of many users, signed here with the secret of the server's folder."""
        key = bytes.fromhex(Path(f"{self.data}/secret").read_text().strip())
        now = int(time.time())
        return {user: jwt.encode({"sub": user, "iat": now, "exp": now + 86_400}, key, algorithm="HS256")
                for user in users}

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, data=body and json.dumps(body).encode(),
            headers={"authorization": f"Bearer {self.admin}", "content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def processor(self) -> float:
        """Seconds of CPU that the process has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Bytes of memory that the process has."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise ValueError("no VmRSS")


class Session:
    """A live session of a user's device."""

    def __init__(self, http: aiohttp.ClientSession, server: Server, user: str, token: str, device: str = "phone"):
        self.http, self.server, self.user, self.token, self.device = http, server, user, token, device
        self.number = 0

    async def __aenter__(self) -> "Session":
        self.socket = await self.http.ws_connect(f"http://127.0.0.1:{self.server.port}/v1/ws")
        await self.socket.send_json({"id": 0, "type": "hello", "token": self.token, "device": self.device})
        while (await self.next())["type"] != "live":
            pass
        return self

    async def __aexit__(self, *_) -> None:
        await self.socket.close()

    async def next(self) -> dict:
        message = await self.socket.receive(timeout=30)
        if message.type != aiohttp.WSMsgType.TEXT:
            raise ConnectionError(f"{self.user}: the connection ended: {message}")
        value = json.loads(message.data)
        return {"type": value.get("type", ""), **value}

    async def ask(self, command: str, **members) -> dict:
        self.number += 1
        await self.socket.send_json({"id": self.number, "type": command, **members})
        while True:
            answer = await self.next()
            if answer.get("re") == self.number:
                if "error" in answer:
                    raise ValueError(f"{command}: {answer['error']}")
                return answer

    async def register(self) -> None:
        await self.ask("device", platform="apns", token=device_token(self.user), topic=TOPIC)


async def register_all(server: Server, users: list[str], follow: str | None = None) -> None:
    """Each user registers a device and, if wanted, follows a topic; then nobody is connected."""
    tokens = server.tokens(users)
    left = iter(users)

    async def work(http: aiohttp.ClientSession) -> None:
        for user in left:
            async with Session(http, server, user, tokens[user]) as session:
                await session.register()
                if follow:
                    await session.ask("follow", topic=follow)

    async with aiohttp.ClientSession() as http:
        await asyncio.gather(*(work(http) for _ in range(64)))
