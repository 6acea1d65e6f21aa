"""The server under test, its devices, and the fake of Apple's service that they are pushed by."""

import asyncio
import hashlib
import json
import sys
import time
from pathlib import Path

sys.path.extend(str(Path(__file__).resolve().parents[1] / name) for name in ("PushProviders", "."))

from fakes import Fake, write_certificates, write_key
from Trials import faults, server, verdict
from Trials.device import Peer, text
from Trials.process import Problem
from Trials.verdict import wait  # noqa: F401

TOPIC, TEAM, KEY_ID = "org.watchwise.app", "TEAM123456", "KEY1234567"


def try_parts(name: str, parts: tuple) -> int:
    """Tries the parts of a trial, each in a folder of its own. Returns the exit code."""
    program = verdict.Arguments(f"Tests/PushTrials/run {name}").parse_args().program

    def play(checks: verdict.Verdict, folder: Path) -> None:
        for part in parts:
            began, before = time.monotonic(), checks.passed
            own = folder / part.__name__
            own.mkdir()
            part(program, own, checks)
            print(f"{part.__name__}: {checks.passed - before} passed in {time.monotonic() - began:.0f} s", flush=True)

    return verdict.run(play, verdict.Verdict(is_quiet=True), f"push-{name}")


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


class Calls:
    """What an administrator asks the server of a push trial, whose folder has its data and its log."""

    def start(self, *options: str) -> "Calls":
        super().start(*options)
        self.admin = self.token("operator", "admin")
        return self

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        status, value = self.ask(method, path, body, self.admin)
        if status >= 400:
            raise Problem(f"{method} {path} was answered with {status}: {value}")
        return value


class Server(Calls, server.Server):
    """The program, always on the same port and folder."""

    def __init__(self, binary: str, folder: Path, settings: list[str]):
        super().__init__(binary, folder / "data", *settings, log=folder / "server.log")


class FaultyServer(Calls, faults.FaultyServer):
    """A server whose writes fail, and whose wall clock is ahead, when its control says so."""

    def __init__(self, binary: str, folder: Path, settings: list[str]):
        library = faults.compile_library(folder)
        super().__init__(binary, folder / "data", library, *settings, log=folder / "server.log")


class Session:
    """A live session of a user's device."""

    def __init__(self, server: Server, user: str, device: str = "phone"):
        self.server, self.user, self.device = server, user, device

    async def __aenter__(self) -> "Session":
        self.peer = await Peer.session(self.server.port, self.server.token(self.user), self.device)
        self.ask = self.peer.ask
        return self

    async def __aexit__(self, *_) -> None:
        self.peer.close()

    def send(self, command: dict) -> None:
        self.peer.write(text(command))

    async def next(self) -> dict:
        message = await self.peer.receive(30)
        return {"type": message.get("type", ""), **message}

    async def register(self) -> None:
        await self.ask("device", platform="apns", token=device_token(self.user), topic=TOPIC)


async def register_all(server: Server, users: list[str], follow: str | None = None) -> None:
    """Each user registers a device and, if wanted, follows a topic; then nobody is connected."""
    left = iter(users)

    async def work() -> None:
        for user in left:
            async with Session(server, user) as session:
                await session.register()
                if follow:
                    await session.ask("follow", topic=follow)

    await asyncio.gather(*(work() for _ in range(64)))
