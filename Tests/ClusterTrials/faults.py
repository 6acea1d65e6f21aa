"""The faults of a cluster: each takes something away, and brings it back. Each says how long writes may stand."""

import asyncio
import signal
from dataclasses import dataclass, field

from cluster_parts.processes import Problem, ask

PAUSE_SECONDS = 5.0


@dataclass
class Fault:
    """A fault. `goal` is how many seconds writes may stand by the design, `limit` what fails the trial: the goal is for a
    machine of its own, and here two cores are shared by everything."""

    name: str
    do: callable
    goal: float
    limit: float
    cuts: bool = False
    machines: bool = False
    times: list = field(default_factory=list)


async def blocking(work, *more):
    """Work that waits for a process: bots go on meanwhile."""
    return await asyncio.get_running_loop().run_in_executor(None, work, *more)


class Faults:
    """Does faults to a cluster. Every method ends when the fault is mended; the caller waits for calm."""

    def __init__(self, cluster):
        self.cluster, self.network = cluster, cluster.network
        self.mended_at = None

    def all(self):
        """Kill, pause and stop of each role; cuts where the network can."""
        return [
            Fault("leader killed", self.kill_leader, 3, 10),
            Fault("follower killed", self.kill_follower, 0.5, 5),
            Fault("journal's leader killed", self.kill_journal_leader, 10, 25),
            Fault("leader frozen 5 s", self.freeze_leader, 3, 12),
            Fault("leader stopped by SIGTERM", self.stop_leader, 1, 8),
            Fault("machine of the leader killed", self.kill_machine, 15, 35),
            Fault("leader cut off 12 s", self.cut_leader, 3, 12, cuts=True),
            Fault("follower frozen 5 s", self.freeze_follower, 0.5, 5),
            Fault("follower stopped by SIGTERM", self.stop_follower, 0.5, 5),
            Fault("journal's leader frozen 5 s", self.freeze_journal_leader, 10, 25),
            Fault("journal's leader stopped by SIGTERM", self.stop_journal_leader, 1, 20),
            Fault("journal follower killed", self.kill_journal_follower, 0.5, 8),
            Fault("all journal servers killed", self.kill_journal, 12, 30),
            Fault("leader and journal's leader killed", self.kill_both, 15, 35),
            Fault("follower cut off 12 s", self.cut_follower, 0.5, 5, cuts=True),
            Fault("journal's leader cut off 12 s", self.cut_journal_leader, 10, 25, cuts=True),
            Fault("leader hears nothing 12 s", self.deafen_leader, 8, 20, cuts=True),
            Fault("leader says nothing 12 s", self.silence_leader, 8, 20, cuts=True),
            Fault("machine of the leader cut off 12 s", self.cut_machine, 15, 35, cuts=True, machines=True),
            Fault("machine of a follower cut off 20 s", self.cut_follower_machine, 10, 25, cuts=True, machines=True),
        ]

    # MARK: Members

    async def leader(self):
        return await blocking(self.cluster.await_leader)

    async def follower(self):
        leader = await self.leader()
        return next(node for node in self.cluster.nodes if node is not leader)

    async def journal_leader(self):
        return await blocking(self.cluster.journal_leader)

    def machine_of(self, node):
        """The journal server that stands on the same machine as a node."""
        return self.cluster.servers[self.cluster.nodes.index(node) % len(self.cluster.servers)]

    def back(self, *members):
        for member in members:
            if not member.is_running:
                member.start()
            elif member.is_frozen:
                member.thaw()

    # MARK: Kill

    async def gone(self, members, seconds=4):
        for member in members:
            member.kill()
        await asyncio.sleep(seconds)
        self.back(*members)

    async def kill_leader(self):
        await self.gone([await self.leader()])

    async def kill_follower(self):
        await self.gone([await self.follower()])

    async def kill_journal_leader(self):
        await self.gone([await self.journal_leader()], 12)

    async def kill_journal_follower(self):
        leader = await self.journal_leader()
        await self.gone([next(server for server in self.cluster.servers if server is not leader)])

    async def kill_machine(self):
        leader = await self.leader()
        await self.gone([leader, self.machine_of(leader)], 12)

    async def kill_both(self):
        await self.gone([await self.leader(), await self.journal_leader()], 15)

    async def kill_journal(self):
        await self.gone(self.cluster.servers, 1)

    # MARK: Freeze and stop

    async def frozen(self, member):
        member.freeze()
        await asyncio.sleep(PAUSE_SECONDS)
        member.thaw()

    async def freeze_leader(self):
        await self.frozen(await self.leader())

    async def freeze_follower(self):
        await self.frozen(await self.follower())

    async def freeze_journal_leader(self):
        await self.frozen(await self.journal_leader())

    async def stopped(self, member):
        member.send(signal.SIGTERM)
        code = await blocking(member.process.wait, 60)
        # nats-server ends with 1 after SIGTERM.
        if code != 0 and member in self.cluster.nodes:
            raise RuntimeError(f"node {member.name} ended with {code} after SIGTERM: {member.last_words()}")
        await asyncio.sleep(2)
        member.start()

    async def stop_leader(self):
        await self.stopped(await self.leader())

    async def stop_follower(self):
        await self.stopped(await self.follower())

    async def stop_journal_leader(self):
        await self.stopped(await self.journal_leader())

    # MARK: Cuts

    async def cut(self, make):
        make()
        await asyncio.sleep(12)
        self.network.heal()

    def numbers(self, without=()):
        return [server.number for server in self.cluster.servers if server not in without]

    async def cut_leader(self):
        leader = await self.leader()
        await self.cut(lambda: self.network.part([leader.name], self.numbers()))

    async def cut_follower(self):
        follower = await self.follower()
        await self.cut(lambda: self.network.part([follower.name], self.numbers()))

    async def cut_journal_leader(self):
        """From the other servers and from all nodes."""
        leader = await self.journal_leader()
        rest = self.numbers([leader]) + [node.name for node in self.cluster.nodes]
        await self.cut(lambda: self.network.part([leader.number], rest))

    async def deafen_leader(self):
        leader = await self.leader()
        await self.cut(lambda: [self.network.drop(number, leader.name) for number in self.numbers()])

    async def silence_leader(self):
        leader = await self.leader()
        await self.cut(lambda: [self.network.drop(leader.name, number) for number in self.numbers()])

    def part_machine(self, node):
        """A node and the journal server beside it hear nobody else; clients still reach the node."""
        server = self.machine_of(node)
        rest = self.numbers([server]) + [other.name for other in self.cluster.nodes if other is not node]
        self.network.part([node.name, server.number], rest)

    async def cut_machine(self):
        leader = await self.leader()
        await self.cut(lambda: self.part_machine(leader))

    async def cut_follower_machine(self):
        """The node says that it is not ready, and its sessions go to the others."""
        node = await self.follower()
        self.part_machine(node)
        try:
            await asyncio.sleep(6)
            for path in ("/readyz", "/readyz?for=writes"):
                status, body = await blocking(ask, node.host, node.port, path)
                if status != 503:
                    raise Problem(f"{node.name} is cut off with its journal server, and {path} is {status} {body[:100]}")
            await asyncio.sleep(14)
            left = (await blocking(node.figures)).get("sessions")
            if left:
                await asyncio.sleep(3)
                left = (await blocking(node.figures)).get("sessions")
            if left:
                raise Problem(f"{node.name} was cut off with its journal server for 23 s, and has {left:g} sessions")
        finally:
            self.network.heal()


class AloneFaults:
    """Faults of one node without a journal: they show that the bots and the checks themselves are right."""

    def __init__(self, cluster):
        self.cluster = cluster

    def all(self):
        return [Fault("node killed", self.kill, 3, 15), Fault("node frozen 5 s", self.freeze, 6, 15),
                Fault("node stopped by SIGTERM", self.stop, 4, 20)]

    async def kill(self):
        for node in self.cluster.nodes:
            node.kill()
        await asyncio.sleep(0.5)
        for node in self.cluster.nodes:
            node.start()

    async def freeze(self):
        for node in self.cluster.nodes:
            node.freeze()
        await asyncio.sleep(PAUSE_SECONDS)
        for node in self.cluster.nodes:
            node.thaw()

    async def stop(self):
        for node in self.cluster.nodes:
            await blocking(node.stop)
        for node in self.cluster.nodes:
            node.start()
