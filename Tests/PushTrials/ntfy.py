#!/usr/bin/env python3
"""Pushes to a subscriber of ntfy, a server of UnifiedPush that others wrote: the subscriber decrypts what arrives; nobody
subscribed (507) and too many messages (429) are tried again. The last line is "N passed, M failed"."""

import asyncio
import base64
import json
import queue
import secrets
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from server import Server, Session

from fakes import write_certificates
from Trials import verdict
from Trials.server import free_port
from Trials.tokens import encoded


def arguments():
    parser = verdict.Arguments(__doc__)
    parser.add_argument("--ntfy", required=True, help="the program of ntfy")
    return parser.parse_args()


class Ntfy:
    """A running ntfy on https, with a limit of its own."""

    def __init__(self, program: str, folder: Path, name: str, *options: str):
        port = free_port()
        self.url = f"https://localhost:{port}"
        self.context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
        self.log = open(folder / f"{name}.log", "w")
        (folder / "empty.yml").touch()
        self.process = subprocess.Popen(
            [program, "serve", "--config", str(folder / "empty.yml"), "--base-url", self.url, "--listen-http", "-",
             "--listen-https", f"127.0.0.1:{port}", "--cert-file", str(folder / "server.pem"), "--key-file",
             str(folder / "server.key"), *options], stdout=self.log, stderr=self.log)
        for _ in range(100):
            try:
                self.open("/v1/health").close()
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("ntfy did not start")

    def open(self, path: str):
        return urllib.request.urlopen(self.url + path, timeout=20, context=self.context)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


class Subscriber:
    """An app that is subscribed to a topic of ntfy, with keys of its own."""

    def __init__(self, ntfy: Ntfy):
        self.ntfy, self.topic = ntfy, "up" + secrets.token_hex(6)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = secrets.token_bytes(16)
        self.messages: queue.Queue = queue.Queue()
        self.stream = None

    @property
    def subscription(self) -> dict:
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return {"endpoint": f"{self.ntfy.url}/{self.topic}?up=1",
                "keys": {"p256dh": encoded(point).decode(), "auth": encoded(self.secret).decode()}}

    def subscribe(self) -> None:
        opened = threading.Event()

        def read() -> None:
            with self.ntfy.open(f"/{self.topic}/json") as self.stream:
                for line in self.stream:
                    message = json.loads(line)
                    if message["event"] == "open":
                        opened.set()
                    elif message["event"] == "message":
                        self.messages.put((time.time(), message))

        threading.Thread(target=read, daemon=True).start()
        if not opened.wait(10):
            raise SystemExit("ntfy did not accept the subscriber")

    def next(self) -> dict:
        _, message = self.messages.get(timeout=20)
        body = base64.b64decode(message["message"])
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm"))


async def register(server: Server, user: str, subscription: dict) -> None:
    async with Session(server, user) as session:
        await session.ask("device", platform="unifiedpush", subscription=subscription)


def tries(server: Server, user: str) -> list[dict]:
    """The tries of a user's last job."""
    job = server.call("GET", f"/v1/push/jobs?user={user}&limit=1")["jobs"][0]
    return server.call("GET", f"/v1/push/jobs/{job['id']}")["tries"]


def last_try(server: Server, user: str) -> dict:
    """The same try, when it has an answer."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        found = tries(server, user)
        if found and found[0].get("status"):
            return found[0]
        time.sleep(0.1)
    return {"status": None, "state": "none"}


def notify(server: Server, user: str, title: str) -> None:
    server.call("POST", "/v1/broadcasts", {"audience": f"user:{user}", "title": title, "body": "Venerdì, ore 21"})


def play(checks: verdict.Verdict, folder: Path) -> None:
    options = OPTIONS
    write_certificates(folder)
    server = Server(options.program, folder, [
        "--outbound-authorities", str(folder / "ca.pem"), "--push-allow", "127.0.0.0/8",
        "--push-contact", "mailto:operator@example.org"])
    server.start()
    free = Ntfy(options.ntfy, folder, "free")
    app = Subscriber(free)
    app.subscribe()
    asyncio.run(register(server, "ada", app.subscription))
    for title in ("Oppenheimer", "Perfetti sconosciuti", "🎬 Ταινία"):
        notify(server, "ada", title)
        pushed = app.next()
        checks.equal("the title arrives", pushed["notification"]["title"], title)
        checks.equal("the envelope names the row", pushed["ww"]["id"][:1], "n")
        answer = last_try(server, "ada")
        checks.equal("200 is sent", (answer["status"], answer["state"]), (200, "sent"))
    free.stop()

    strict = Ntfy(options.ntfy, folder, "strict", "--visitor-subscriber-rate-limiting")
    lonely = Subscriber(strict)
    asyncio.run(register(server, "bob", lonely.subscription))
    notify(server, "bob", "Nobody listens")
    answer = last_try(server, "bob")
    checks.equal("507 is tried again", (answer["status"], answer["state"]), (507, "open"))
    strict.stop()

    narrow = Ntfy(options.ntfy, folder, "narrow", "--visitor-message-daily-limit", "1")
    crowded = Subscriber(narrow)
    crowded.subscribe()
    asyncio.run(register(server, "cleo", crowded.subscription))
    notify(server, "cleo", "First")
    checks.equal("the first message arrives", crowded.next()["notification"]["title"], "First")
    notify(server, "cleo", "Second")
    answer = last_try(server, "cleo")
    checks.equal("429 is tried again", (answer["status"], answer["state"]), (429, "open"))
    narrow.stop()

    checks.equal("the server ends with 0", server.stop(), 0)


if __name__ == "__main__":
    OPTIONS = arguments()
    sys.exit(verdict.run(play, verdict.Verdict(is_quiet=True), "ntfy"))
