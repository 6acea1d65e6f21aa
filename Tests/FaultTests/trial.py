"""One trial: a server, people who write to each other, and the problems found."""

import asyncio
import subprocess
import time
import traceback

from peer import Town, get, token
from process import Server, look_into


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
        if self.server and self.server.process and self.server.process.poll() is None:
            self.server.kill()
        if self.mounted:
            subprocess.run(["umount", self.mounted], check=False)

    # What most trials do.

    async def begin(self, data=None, arguments=(), shadow=False, pairs=4, pace=0.004):
        """A server with people who write."""
        self.server = Server(self.binary, self.library, self.folder, data, arguments=arguments)
        if not self.server.start(shadow=shadow):
            raise RuntimeError(f"the server did not start: {self.server.log()[-3:]}")
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
            code = await asyncio.to_thread(self.server.stop)
            self.check(code == 0, f"the server ended with {code}")
            self.problems += look_into(self.server.data)
        self.remark = f"{len(self.town.acknowledged)} acknowledged, {len(self.town.refusals)} refused. {self.remark}"

    async def status(self, path):
        return await get(self.server.port, path)

    async def until(self, path, status, seconds):
        """Waits for an answer with this status and returns its body; None when it does not come."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found, body = await self.status(path)
            if found == status:
                return body
            await asyncio.sleep(0.02)
        return None

    async def admin(self, path):
        return await get(self.server.port, path, token(self.server.data, "operator", "admin"))
