#!/usr/bin/env python3
"""Devices of the Swift library, registered at a real server and pushed by the fake of Apple's service.

Each device registers with one of the three privacies. What Apple's service then has goes to the library once more, as the system
would hand it to an application or its notification service extension: it must give what the sender wrote.

The last line is "N passed, M failed"."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from server import TOPIC, Providers, Server, Session, device_token, try_parts, wait

from Trials.verdict import Verdict

PRIVACIES = ["full", "hidden", "sealed"]
TITLE, BODY, TEXT = "Oppenheimer", "Now in cinemas", "Ciao, hai visto Oppenheimer? 🎬"


class Device:
    """A device of the library: a process for each thing that it does, as an application and its extension are."""

    def __init__(self, server: Server, folder: Path, user: str):
        self.server, self.user, self.folder = server, user, folder
        self.keys = folder / f"{user}.keys"
        self.program = Path(server.binary).with_name("watchwise-device")

    def run(self, mode: str, argument: str) -> str:
        words = [self.program, mode, self.server.url, self.user, self.server.token(self.user),
                 self.keys, argument]
        ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60)
        return ended.stdout.strip() or ended.stderr.strip()

    def register(self, privacy: str) -> str:
        return self.run("register", f"{privacy} {device_token(self.user)} {TOPIC}")

    def open(self, payload: bytes) -> dict:
        file = self.folder / f"{self.user}.push"
        file.write_bytes(payload)
        return json.loads(self.run("open", str(file)))


async def write(server: Server) -> None:
    """Everybody gets a notification, one about a new follower, and a message."""
    for privacy in PRIVACIES:
        news = {"audience": f"user:{privacy}", "title": TITLE, "body": BODY, "data": {"id": 872_585}}
        server.call("POST", "/v1/broadcasts", news)
    async with Session(server, "ann") as ann:
        for privacy in PRIVACIES:
            await ann.ask("follow", topic=f"user:{privacy}")
            await ann.ask("send", to=privacy, text=TEXT, key=f"to-{privacy}")


def privacies(binary: str, folder: Path, checks: Verdict) -> None:
    providers = Providers(folder)
    server = Server(binary, folder, providers.settings())
    server.start()
    devices = {privacy: Device(server, folder, privacy) for privacy in PRIVACIES}
    for privacy, device in devices.items():
        checks.equal(f"{privacy}: the device registers", device.register(privacy), "registered")
    asyncio.run(write(server))
    pushes: dict[str, list[bytes]] = {device_token(privacy): [] for privacy in PRIVACIES}

    def all_here() -> bool:
        for push in providers.pushes():
            pushes[push["device"]].append(push["body"].encode("latin-1"))
        return all(len(bodies) >= 3 for bodies in pushes.values())

    checks.equal("each device gets its pushes", wait(all_here, 30), True)
    for privacy, device in devices.items():
        bodies = pushes[device_token(privacy)]
        for body in bodies:
            shown = json.dumps(json.loads(body), ensure_ascii=False)
            is_readable = any(text in shown for text in (TITLE, BODY, TEXT, "ann started", '"ann"'))
            checks.equal(f"{privacy}: Apple reads the content", is_readable, privacy == "full")
        opened = [device.open(body) for body in bodies]
        notification = next((push for push in opened if "data" in push and "user" not in push["data"]), {})
        seen = {name: notification.get(name) for name in ("title", "body", "data")}
        checks.equal(f"{privacy}: the notification", seen, {"title": TITLE, "body": BODY, "data": '{"id":872585}'})
        text = next((push for push in opened if push["id"].startswith("m")), {})
        seen = {name: text.get(name) for name in ("title", "body", "chat")}
        message = {"title": "ann", "body": TEXT, "chat": f"ann:{privacy}"}
        generic = {"title": "New message", "body": None, "chat": None}
        checks.equal(f"{privacy}: the message", seen, generic if privacy == "hidden" else message)
    sealed = pushes[device_token("sealed")][0]
    devices["full"].register("sealed")
    checks.equal("other keys do not open it", devices["full"].run("open", str(save(folder, sealed))),
                 "the push is sealed to other keys, or was changed on its way")
    server.stop()
    providers.stop()


def save(folder: Path, payload: bytes) -> Path:
    file = folder / "foreign.push"
    file.write_bytes(payload)
    return file


if __name__ == "__main__":
    sys.exit(try_parts("swift", (privacies,)))
