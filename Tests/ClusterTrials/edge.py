"""The tools of the faults at the edges: bots that rest for a while, and figures that are looked at again and again."""

import asyncio
import contextlib
import time

from cluster_parts.processes import Problem, ask
from faults import Faults, blocking
from people import OLD_SECONDS, Person
from Trials import tokens
from world import USERS, World

#: Between two looks of a watch.
LOOK_SECONDS = 0.25


class EdgeWorld(World):
    """Bots whose tokens are older than any wrong clock, and that rest while a fault wants an idle cluster."""

    def __init__(self, cluster, seed):
        super().__init__(cluster, seed)
        folder = self.nodes[0].folder
        self.tokens = {user: tokens.sign(folder, user, shift=-OLD_SECONDS) for user in USERS}
        self.admin = tokens.sign(folder, "operator", "admin", shift=-OLD_SECONDS)
        for node in self.nodes:
            node.token = self.admin
        self.may_write, self.resting = asyncio.Event(), 0
        self.may_write.set()

    async def pause(self, most):
        await super().pause(most)
        self.resting += 1
        await self.may_write.wait()
        self.resting -= 1

    @contextlib.asynccontextmanager
    async def rested(self, seconds=40):
        """No bot writes meanwhile; those that are about something end it first."""
        self.may_write.clear()
        began = time.monotonic()
        try:
            while self.resting < sum(not task.done() for task in self.writing):
                if time.monotonic() > began + seconds:
                    raise Problem(f"the bots did not come to rest within {seconds} s")
                await asyncio.sleep(0.05)
            yield
        finally:
            self.rests.append((began, time.monotonic()))
            self.may_write.set()


class Watch:
    """Looks at something several times a second. `samples` are the seconds since its start, and what was seen."""

    def __init__(self, look):
        self.look, self.samples, self.began = look, [], time.monotonic()
        self.task = asyncio.create_task(self.run())

    async def run(self):
        while True:
            asked = time.monotonic() - self.began
            self.samples.append((asked, await self.look()))
            await asyncio.sleep(LOOK_SECONDS)

    async def end(self):
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    def since(self, is_so):
        """The second from which on it was always so; None where the last look was otherwise."""
        found = None
        for at, value in self.samples:
            found = (at if found is None else found) if is_so(value) else None
        return found

    def first(self, is_so):
        return next((at for at, value in self.samples if is_so(value)), None)

    def between(self, start, end):
        return [value for at, value in self.samples if start <= at < end]


@contextlib.asynccontextmanager
async def watching(**looks):
    """Watches by their names, until the end of the block."""
    watches = {name: Watch(look) for name, look in looks.items()}
    try:
        yield watches
    finally:
        for watch in watches.values():
            await watch.end()


def seconds(value):
    return "never" if value is None else f"{value:.1f} s"


class Expectations:
    """What a case says, and the problems that it has found: `found` is a list of the case."""

    @staticmethod
    def say(text):
        print(f"        {text}", flush=True)

    def expect(self, holds, text):
        """Notes a problem, and goes on: what comes later may show more."""
        if not holds:
            self.found.append(text)
            self.say(f"NOT AS IT SHOULD BE: {text}")


class Edge(Expectations, Faults):
    """The faults of one kind. Problems of a fault are gathered in `found`, so that all of them are told at its end."""

    def __init__(self, trial):
        super().__init__(trial.cluster)
        self.trial, self.found = trial, []
        self.cases = 0

    @property
    def world(self):
        return self.trial.world

    def judge(self):
        """Raises what was noted."""
        found, self.found = self.found, []
        if found:
            raise Problem("; ".join(found))

    def people(self, *names):
        """Users whom no other case knows."""
        self.cases += 1
        mark = f"{type(self).__name__.lower()}{self.cases}"
        return [self.person(f"{name}-{mark}") for name in names]

    def person(self, name, *scopes):
        return Person(self.world.http, self.world.nodes[0].folder, name, *scopes)

    @property
    def operator(self):
        return self.person("operator", "admin")

    def others(self, node):
        return [other for other in self.cluster.nodes if other is not node]

    def quiet(self, is_idle):
        """The bots rest meanwhile, or go on."""
        return self.world.rested() if is_idle else contextlib.nullcontext()

    # MARK: Looks

    def readiness(self, node, path="/readyz"):
        """A look at the status of a node's `/readyz`; 0 where there is no answer."""
        async def look():
            try:
                return (await blocking(ask, node.host, node.port, path, 2.0))[0]
            except OSError:
                return 0
        return look

    def figures(self, node):
        async def look():
            return await blocking(node.figures)
        return look

    def roles(self):
        """A look at all nodes: (term, whether it leads) of each that answers."""
        async def look():
            found = await asyncio.gather(*(blocking(node.figures) for node in self.cluster.nodes))
            return {node.name: (int(one["journal_term"]), one.get("journal_leading") == 1)
                    for node, one in zip(self.cluster.nodes, found) if "journal_term" in one}
        return look

    async def await_ready(self, node, most):
        """Seconds until a node is ready for writes."""
        began = time.monotonic()
        look = self.readiness(node, "/readyz?for=writes")
        while await look() != 200:
            if time.monotonic() > began + most:
                raise Problem(f"node {node.name} is not ready for writes {most} s later: {node.last_words(2)}")
            await asyncio.sleep(0.1)
        return time.monotonic() - began

    @staticmethod
    def said(node, text, since=0):
        """The lines of a node's log with a text, after so many bytes."""
        with open(node.log, "rb") as file:
            file.seek(since)
            return [line for line in file.read().decode(errors="replace").splitlines() if text in line]
