"""A case at the edges on a cluster of its own, since its clients begin anew: bots at its beginning, commands, nodes that return."""

import asyncio
import os
import pathlib
import subprocess
import time

import aiohttp

import namespaces
from cluster_parts.cluster import Cluster
from cluster_parts.processes import Problem, ask
from edge import EdgeWorld, Expectations
from faults import blocking
from people import Person
from strangers import StrangerEdges

SERVERS, NODES = ("1", "2", "3"), ("a", "b", "c")
#: A node ends with this when it must start again, as a service manager does.
REJOINS = 75
RETURN_SECONDS = 25


class OwnCase(Expectations):
    """A case on a cluster of its own, with bots at its beginning."""

    name = word = None
    #: Of each node, beside those of all trials.
    options = ()

    async def play(self, options, folder, outer):
        self.folder, self.outer = pathlib.Path(folder), outer
        self.cluster = Cluster(folder, pathlib.Path(options.bin) / "watchwise", namespaces.Namespaces(SERVERS, NODES),
                               SERVERS, NODES,
                               ["--log-level", "info", "--connections-per-user", "64", *self.options])
        self.first, self.second, self.away = self.cluster.nodes
        self.found = []
        try:
            self.cluster.start(say=self.say)
            self.world = EdgeWorld(self.cluster, outer.seed)
            async with aiohttp.ClientSession() as self.http:
                self.operator = self.person("operator", "admin")
                try:
                    await self.course()
                except (Problem, OSError) as problem:
                    self.found.append(str(problem))
                outer.check(self.name, self.found)
        finally:
            self.cluster.end()

    def person(self, name, *scopes):
        return Person(self.http, self.first.folder, name, *scopes)

    async def run(self, node, *words, wanted=0):
        """A command on a node's machine, as an operator types it. Returns what it says."""
        made = await blocking(lambda: subprocess.run(
            [str(word) for word in (*self.cluster.network.wrap(node.name), node.binary, *words)],
            stdin=subprocess.DEVNULL,
            capture_output=True, text=True, env={**os.environ, "WATCHWISE_JOURNAL": ",".join(node.journal)}))
        said = (made.stdout + made.stderr).strip()
        shown = " ".join(pathlib.Path(word).name if str(word).startswith("/") else str(word)[:24] for word in words)
        self.say(f"$ watchwise {shown} -> {made.returncode}: {' | '.join(said.splitlines())[:330]}")
        if made.returncode != wanted:
            raise Problem(f"'watchwise {shown}' ended with {made.returncode}: {said[-300:]}")
        return said

    async def ready(self, node, path="/readyz"):
        try:
            return (await blocking(ask, node.host, node.port, path, 2.0))[0]
        except OSError:
            return 0

    async def started(self, *nodes):
        for node in nodes:
            began = time.monotonic()
            node.start()
            await blocking(node.wait, 60)
            self.say(f"node {node.name} is ready {time.monotonic() - began:.1f} s after its start")

    async def epoch(self, node):
        return (await self.operator.call(node, "GET", "/v1/stats")).value.get("epoch")

    # MARK: Bots

    async def play_bots(self, meanwhile, second, rests=True):
        """Bots write for some seconds, then something is done, and they write on. With `rests` they get all answers at the end.
        Returns the cursors of their devices."""
        world = self.world
        try:
            await world.begin()
            await asyncio.sleep(second)
            await meanwhile()
            await asyncio.sleep(second)
            if rests:
                await world.rest()
            self.expect(not world.problem_count, f"{world.problem_count} problems of bots")
            return [(device.user, device.name, {"epoch": device.epoch, "seq": device.seq}) for device in world.devices]
        finally:
            await world.close()

    async def resumes(self, node, cursors, mark):
        """Resumes as devices that slept. Returns how often they are told `reset`, and the epochs of the answers."""
        resets, epochs, last = 0, set(), 0
        for user, device, cursor in cursors:
            session = await self.person(user).session(node, device, cursor)
            try:
                await asyncio.sleep(0.05)
                resets += "reset" in session.kinds()
                epochs.add(session.hello["ok"]["epoch"])
                last = max(last, session.hello["ok"]["seq"])
            finally:
                await session.close()
        self.say(f"{mark}: {resets} of {len(cursors)} devices with cursors up to "
                 f"{max(cursor['seq'] for _, _, cursor in cursors)} got reset "
                 f"from node {node.name}, whose head is {last}")
        return resets, epochs

    # MARK: The node that was away

    async def returns(self, node):
        """Starts it with its old folder, again after status 75 and not after 2, as the unit does. The others must not feel it.
        Returns whether it is ready in the end, how a read and /readyz were answered, and its last words."""
        size, end, ends, served, felt = node.log.stat().st_size, time.monotonic() + RETURN_SECONDS, [], [], {}
        node.start()
        began = time.monotonic()
        while time.monotonic() < end:
            await asyncio.sleep(0.1)
            if not node.is_running:
                ends.append(node.process.returncode)
                if ends[-1] != REJOINS:
                    break
                await asyncio.sleep(1)
                node.start()
            read = await self.person("u0").command(node, 2, type="following")
            served.append((time.monotonic() - began, read.status, await self.ready(node)))
            for other in self.cluster.nodes:
                if other is not node and (status := await self.ready(other)) != 200:
                    felt.setdefault(other.name, f"{status} from {served[-1][0]:.1f} s on")
        said = self.lines(node, size)
        turns = [now for now, before in zip(served, [(0, None, None), *served]) if now[1:] != before[1:]]
        self.say(f"node {node.name} returns with its old folder: it ended with {ends or 'nothing'}; a read and "
                 f"/readyz: "
                 + ", ".join(f"{read} and {ready} from {at:.1f} s on" for at, read, ready in turns))
        for line in said[-3:]:
            self.say(f"it says: {line[:330]}")
        self.expect(not felt, f"the return of node {node.name} makes others not ready: {felt}")
        return bool(served) and served[-1][2] == 200, served, said

    @staticmethod
    def lines(node, since):
        """The warnings and errors of a node's log after so many bytes, and its last words."""
        return [line for line in node.log.read_bytes()[since:].decode(errors="replace").splitlines()
                if "level=error" in line or "level=warning" in line or line.startswith("watchwise: ")]

    async def renew(self, node):
        """An operator empties the folder but for the secrets, and the node joins."""
        if node.is_running:
            await blocking(node.stop)
        StrangerEdges.empty(node)
        await self.started(node)

    async def judge_equal(self):
        for node in self.cluster.nodes:
            try:
                await blocking(node.wait, 20, "/readyz?for=writes")
            except Problem as problem:
                self.expect(False, f"{problem}; a restart is needed")
                await blocking(node.stop)
                await self.started(node)
        problem, rows = await blocking(self.cluster.verify)
        self.say(f"{rows:,} rows of each node: {problem or 'equal'}")
        self.expect(problem is None, f"the nodes differ: {problem}")
