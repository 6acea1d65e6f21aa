"""One trial: a server, people who write to each other, and the problems found."""

import asyncio
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time
import traceback

from town import Town
from Trials.faults import FaultyServer
from Trials.server import Problem, ask


class Skipped(Exception):
    """This machine cannot run the trial."""


class Trial:
    """One trial, with a folder of its own."""

    def __init__(self, binary, library, folder, is_quick, chance):
        self.binary, self.library, self.folder = binary, library, folder
        self.is_quick, self.chance = is_quick, chance
        self.problems, self.remark, self.server, self.town, self.mounted = [], "", None, None, None
        # Errors in the log that an earlier fault of this trial has caused.
        self.told = 0

    def check(self, isGood, text):
        """Records a problem unless the condition is true; returns the condition."""
        if not isGood:
            self.problems.append(text)
        return isGood

    async def run(self, play):
        """The problems during `play`."""
        try:
            await play(self)
        except Skipped:
            raise
        except Exception:
            self.problems += [traceback.format_exc()] + (self.town.problems if self.town else [])
        return self.problems

    def clean_up(self):
        if self.server:
            self.server.end()
        if self.mounted:
            subprocess.run(["umount", self.mounted], check=False)

    # What most trials do.

    async def begin(self, data=None, arguments=(), shadow=False, pairs=4, pace=0.004, errors=None, wrap=()):
        """A server with people who write; its standard error goes to the log, or to `errors`."""
        self.server = FaultyServer(
            self.binary, data or f"{self.folder}/data", self.library, *arguments, log=f"{self.folder}/log")
        self.server.errors, self.server.wrap = errors, wrap
        if shadow:
            self.server.keep_shadow()
        self.server.start()
        self.town = Town(self.server, pairs, pace)
        await self.town.begin()
        deadline = time.monotonic() + 10
        while len({chat for chat, _, _ in self.town.acknowledged.values()}) < pairs and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        self.check(await self.town.next_ok() is not None, "nothing was acknowledged at the beginning")

    async def settle(self, stops=True):
        """Compares everything, then stops the server and checks the file."""
        self.problems += await self.town.settle()
        if stops:
            code = await self.stop()
            self.check(code == 0, f"the server ended with {code}")
            self.problems += look_into(self.server.data)
        self.remark = f"{len(self.town.acknowledged)} acknowledged, {len(self.town.refusals)} refused. {self.remark}"

    async def status(self, path):
        return await self.get(path)

    async def until(self, path, status, seconds):
        """Waits for an answer with this status and returns its body; None when it does not come."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found, body = await self.status(path)
            if found == status:
                return body
            await asyncio.sleep(0.02)
        return None

    async def metric(self, name):
        """A line of /metrics without labels; None when it is not there."""
        lines = (await self.get("/metrics"))[1].splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(f"watchwise_{name} ")), None)

    async def admin(self, path):
        return await self.get(path, self.server.token("operator", "admin"))

    async def get(self, path, bearer=None):
        status, body = await asyncio.to_thread(ask, "127.0.0.1", self.server.port, path, 5, token=bearer)
        return status, body.decode()

    def small_volume(self, megabytes):
        """A small file system of its own."""
        volume = f"{self.folder}/volume"
        pathlib.Path(volume).mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", volume]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            raise Skipped("mounting a small file system needs root")
        self.mounted = volume
        return pathlib.Path(volume)

    def start(self):
        """Starts the server again; whether it listens."""
        try:
            self.server.start()
        except Problem:
            return False
        return True

    async def stop(self, patience=10):
        return await asyncio.to_thread(self.server.stop, patience)


def fill(filler):
    """Fills the free space of a file system."""
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def look_into(data):
    """The problems of a stopped server's database, by SQLite's check and by our own."""
    problems = []
    with tempfile.TemporaryDirectory() as copy:
        for file in pathlib.Path(data).glob("watchwise.db*"):
            if not file.name.endswith("-shm"):
                shutil.copy(file, copy)
        database = sqlite3.connect(f"{copy}/watchwise.db")

        def ask(sql):
            return database.execute(sql).fetchall()

        try:
            if ask("PRAGMA integrity_check") != [("ok",)]:
                problems.append("integrity_check")
            if ask("SELECT 1 FROM messages GROUP BY chat HAVING count(*) <> max(n) OR min(n) <> 1"):
                problems.append("numbers with gaps in the database")
            if ask("SELECT 1 FROM messages m JOIN messages o ON m.chat = o.chat AND o.n = m.n + 1 WHERE o.seq <= m.seq"):
                problems.append("numbers and positions disagree")
            if ask("SELECT 1 FROM messages WHERE seq NOT IN (SELECT seq FROM changes)"):
                problems.append("a message without its place in the log")
            if ask("SELECT 1 FROM messages WHERE text IS NOT NULL GROUP BY text HAVING count(*) > 1"):
                problems.append("a message twice")
        except sqlite3.DatabaseError as error:
            problems.append(f"the database cannot be read: {error}")
        database.close()
    return problems
