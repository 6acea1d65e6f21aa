"""The server under test, and clients that behave."""

import asyncio
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from Trials.device import Peer
from Trials.server import Server

MIB = 1 << 20


class House(Server):
    """A server process on a port and a folder of its own."""

    def __init__(self, binary, *options, descriptors=None, secret=None):
        self.folder = tempfile.mkdtemp(prefix="watchwise-hostile-")
        super().__init__(binary, f"{self.folder}/data", *options, log=f"{self.folder}/server.log")
        if descriptors:
            self.wrap = ["prlimit", "--nofile={}:{}".format(*descriptors)]
        if secret:
            # Tokens of another folder are valid here, too.
            self.data.mkdir(mode=0o700)
            shutil.copy(secret, self.data / "secret")
            os.chmod(self.data / "secret", 0o600)
        self.start()
        self.admin = self.token("operator", "admin")

    def stop(self, patience=20):
        code = super().stop(patience) if self.is_running else self.process.returncode
        if code == 0:
            shutil.rmtree(self.folder, ignore_errors=True)
        return code


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
