#!/usr/bin/env python3
"""Pushes to a subscriber of ntfy, a server of UnifiedPush that others wrote: the subscriber decrypts what arrives; nobody
subscribed (507) and too many messages (429) are tried again. The last line is "N passed, M failed"."""

import argparse
import asyncio
import base64
import json
import queue
import secrets
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import aiohttp
import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from server import HERE, Checks, Server, Session, conclude

sys.path.insert(0, str(HERE.parent / "PushProviders"))
from fakes import write_certificates

ROOT = HERE.parents[1]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=str(ROOT / ".build/debug"), help="folder of the program")
    parser.add_argument("--ntfy", required=True, help="the program of ntfy")
    return parser.parse_args()


class Ntfy:
    """A running ntfy on https, with a limit of its own."""

    def __init__(self, program: str, folder: Path, name: str, *options: str):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
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
        text = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()  # noqa: E731
        return {"endpoint": f"{self.ntfy.url}/{self.topic}?up=1",
                "keys": {"p256dh": text(point), "auth": text(self.secret)}}

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
    async with aiohttp.ClientSession() as http, Session(http, server, user, server.tokens([user])[user]) as session:
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


def main() -> int:
    options = arguments()
    folder = Path(tempfile.mkdtemp(prefix="watchwise-ntfy-"))
    write_certificates(folder)
    server = Server(f"{options.bin}/watchwise", folder, [
        "--outbound-authorities", str(folder / "ca.pem"), "--push-allow", "127.0.0.0/8",
        "--push-contact", "mailto:operator@example.org"])
    server.start()
    checks = Checks()
    free = Ntfy(options.ntfy, folder, "free")
    app = Subscriber(free)
    app.subscribe()
    asyncio.run(register(server, "ada", app.subscription))
    for title in ("Oppenheimer", "Perfetti sconosciuti", "🎬 Ταινία"):
        notify(server, "ada", title)
        pushed = app.next()
        checks.check("the title arrives", pushed["notification"]["title"], title)
        checks.check("the envelope names the row", pushed["ww"]["id"][:1], "n")
        answer = last_try(server, "ada")
        checks.check("200 is sent", (answer["status"], answer["state"]), (200, "sent"))
    free.stop()

    strict = Ntfy(options.ntfy, folder, "strict", "--visitor-subscriber-rate-limiting")
    lonely = Subscriber(strict)
    asyncio.run(register(server, "bob", lonely.subscription))
    notify(server, "bob", "Nobody listens")
    answer = last_try(server, "bob")
    checks.check("507 is tried again", (answer["status"], answer["state"]), (507, "open"))
    strict.stop()

    narrow = Ntfy(options.ntfy, folder, "narrow", "--visitor-message-daily-limit", "1")
    crowded = Subscriber(narrow)
    crowded.subscribe()
    asyncio.run(register(server, "cleo", crowded.subscription))
    notify(server, "cleo", "First")
    checks.check("the first message arrives", crowded.next()["notification"]["title"], "First")
    notify(server, "cleo", "Second")
    answer = last_try(server, "cleo")
    checks.check("429 is tried again", (answer["status"], answer["state"]), (429, "open"))
    narrow.stop()

    checks.failed += server.stop() != 0
    return conclude(folder, checks.passed, checks.failed)


if __name__ == "__main__":
    sys.exit(main())
