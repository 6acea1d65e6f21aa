"""Disks that are full or slow, and clocks that are wrong. A full disk is a small file system of its own (root); a slow one is
the process under strace, which delays each flush; a wrong clock is libfaketime. What is not there is skipped with a sentence."""

import asyncio
import errno
import os
import pathlib
import shutil
import subprocess
import time

from cluster_parts.processes import Problem, ask
from faults import Fault, Faults, blocking

FAKETIME = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
FLUSHES = "fsync,fdatasync"


class SlowDisk:
    """While it is open, each flush of a process takes so much longer."""

    def __init__(self, member, seconds):
        self.tracer = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={FLUSHES}", "-e",
             f"inject={FLUSHES}:delay_enter={int(seconds * 1_000_000)}", "-p", str(member.pid)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        if self.tracer.poll() is not None:
            raise Problem(f"strace cannot slow {member.name} down: {self.tracer.stderr.read().strip()}")

    def end(self):
        self.tracer.terminate()
        try:
            self.tracer.wait(5)
        except subprocess.TimeoutExpired:
            # It waits for a delay to end; without it the process goes on at once.
            self.tracer.kill()
            self.tracer.wait()


class DiskFaults(Faults):
    """`disks` are the file systems of the members, or None: then no disk can be full. `skip` is told what is not there."""

    def __init__(self, cluster, disks, say, skip):
        super().__init__(cluster)
        self.disks, self.say, self.skip = disks, say, skip

    def all(self):
        full = [
            Fault("the leader's disk is full 15 s", self.full_leader, 2, 15),
            Fault("a follower's disk is full 15 s", self.full_follower, 0.5, 5),
            Fault("a journal follower's disk is full 15 s", self.full_journal_follower, 0.5, 10),
            Fault("the journal leader's disk is full 15 s", self.full_journal_leader, 10, 35),
            Fault("all disks of the journal are full 20 s", self.full_journal, 45, 75),
        ]
        slow = [
            Fault("a follower's flushes take 0.3 s more", self.slow_follower, 0.5, 5),
            Fault("a follower's flushes take 8 s more", self.standing_follower, 0.5, 5),
            Fault("a follower's flushes take 25 s more", self.stuck_follower, 0.5, 5),
            Fault("the leader's flushes take 0.3 s more", self.slow_leader, 2, 10),
            Fault("a journal follower's flushes take 0.3 s more", self.slow_journal_follower, 0.5, 5),
            Fault("the journal leader's flushes take 0.3 s more", self.slow_journal_leader, 2, 10),
        ]
        still = [Fault("the leader's disk stands still 20 s", self.still_leader, 7.5, 15)]
        clocks = [Fault("the leader's clock is 10 s ahead", self.wrong_clock, 5, 15),
                  Fault("two journal servers are gone 20 s", self.two_servers, 35, 60)]
        found = []
        if self.disks is not None:
            found += full + still
        else:
            self.skip("full disks, which need root")
        if shutil.which("strace"):
            found += slow
        else:
            self.skip("slow disks, since there is no strace here")
        if not FAKETIME.exists():
            self.skip("a wrong clock, since libfaketime is not installed")
            clocks = clocks[1:]
        return found + clocks

    # MARK: What is seen

    async def watched(self, node, seconds, path="/readyz"):
        """Notes when the answers of a node's `/readyz` change."""
        start, before = time.monotonic(), None
        while time.monotonic() < start + seconds:
            try:
                status, body = await blocking(ask, node.host, node.port, path)
                now = f"{status} {body.decode(errors='replace').strip()[:110]}"
            except OSError:
                now = f"no answer ({node.state})"
            # The figures in a sentence change all the time.
            if before is None or now[:30] != before[:30]:
                self.say(f"node {node.name} after {time.monotonic() - start:.1f} s: {path} {now}")
            before = now
            await asyncio.sleep(0.25)

    # MARK: Full disks

    def fill(self, member):
        """Fills the file system of a member to the last block."""
        mount = pathlib.Path(member.folder).parent
        with open(mount / "filler", "wb", buffering=0) as file:
            try:
                for size in (1 << 20, 1 << 12):
                    while True:
                        file.write(bytes(size))
            except OSError as problem:
                if problem.errno != errno.ENOSPC:
                    raise
            try:
                while True:
                    file.write(bytes(1 << 12))
            except OSError:
                pass
        self.say(f"{member.name}: {os.statvfs(mount).f_bavail} blocks are free")

    def free(self, member):
        (pathlib.Path(member.folder).parent / "filler").unlink()

    async def full_node(self, node):
        await blocking(self.fill, node)
        try:
            await self.watched(node, 15)
        finally:
            self.free(node)

    async def full_leader(self):
        await self.full_node(await self.leader())

    async def full_follower(self):
        await self.full_node(await self.follower())

    async def still_leader(self):
        """Its file system is frozen: nothing fails, and nothing goes on."""
        leader = await self.leader()
        mount = str(pathlib.Path(leader.folder).parent)
        await blocking(subprocess.run, ["fsfreeze", "--freeze", mount])
        try:
            await self.watched(leader, 20)
        finally:
            await blocking(subprocess.run, ["fsfreeze", "--unfreeze", mount])

    async def full_servers(self, servers, seconds):
        for server in servers:
            await blocking(self.fill, server)
        try:
            await self.watched(self.cluster.nodes[0], seconds, "/readyz?for=writes")
        finally:
            for server in servers:
                self.free(server)
        await asyncio.sleep(3)
        for server in servers:
            if await blocking(self.is_whole, server):
                continue
            # JetStream stops at the first write that fails, until its server starts again.
            self.say(f"{server.name} does not go on by itself: it is started again")
            if server.is_running:
                server.kill()
            server.start()

    def is_whole(self, server):
        """Whether a server has what the others have, when there is room again."""
        for _ in range(12):
            time.sleep(0.5)
            lasts = [one.facts().get("last") for one in self.cluster.servers if one.is_running]
            mine = server.facts().get("last") if server.is_running else None
            if mine and mine + 50 >= max(last or 0 for last in lasts):
                return True
        return False

    async def full_journal_leader(self):
        await self.full_servers([await self.journal_leader()], 15)

    async def full_journal_follower(self):
        leader = await self.journal_leader()
        await self.full_servers([next(server for server in self.cluster.servers if server is not leader)], 15)

    async def full_journal(self):
        await self.full_servers(self.cluster.servers, 20)

    # MARK: Slow disks

    async def slowed(self, member, seconds, how_long, watched=None):
        disk = SlowDisk(member, seconds)
        try:
            await self.watched(watched or member, how_long)
        finally:
            await blocking(disk.end)

    async def slow_follower(self):
        await self.slowed(await self.follower(), 0.3, 10)

    async def standing_follower(self):
        await self.slowed(await self.follower(), 8, 20)

    async def stuck_follower(self):
        await self.slowed(await self.follower(), 25, 30)

    async def slow_leader(self):
        await self.slowed(await self.leader(), 0.3, 10)

    async def slow_journal_follower(self):
        leader = await self.journal_leader()
        server = next(server for server in self.cluster.servers if server is not leader)
        await self.slowed(server, 0.3, 10, self.cluster.nodes[0])

    async def slow_journal_leader(self):
        await self.slowed(await self.journal_leader(), 0.3, 10, self.cluster.nodes[0])

    # MARK: Clocks and majorities

    async def wrong_clock(self):
        """The leading node starts again with another clock. It follows, and is not elected when the new leader is killed."""
        node = await self.leader()
        await blocking(node.stop)
        right = node.wrap
        node.wrap = [*right, "env", f"LD_PRELOAD={FAKETIME}", "FAKETIME=+10s", "FAKETIME_DONT_FAKE_MONOTONIC=1"]
        node.start()
        try:
            await self.watched(node, 12)
            said = [line for line in node.log.read_text(errors="replace").splitlines() if "clock" in line]
            self.say(f"node {node.name}: {said[-1][-160:] if said else 'it says nothing of its clock'}")
            leader = await self.leader()
            await self.gone([leader], 6)
            if node in (leader, await self.leader()):
                raise Problem(f"node {node.name} leads with a wrong clock")
        finally:
            await blocking(node.stop)
            node.wrap = right
            node.start()

    async def two_servers(self):
        leader = await self.journal_leader()
        gone = [leader, next(server for server in self.cluster.servers if server is not leader)]
        for server in gone:
            server.kill()
        await self.watched(self.cluster.nodes[0], 20, "/readyz?for=writes")
        self.back(*gone)
