"""The recipe "Two machines and a small third" of deploy/README.md: a node and a journal server on each of two machines, and a third
one with a journal server alone. Machines are lost whole while bots go on."""

import asyncio
import os
import pathlib
import subprocess
import time

import report
import trial
from cluster_parts.cluster import Cluster
from cluster_parts.processes import Problem
from edge import Edge, EdgeWorld, seconds, watching
from faults import Fault
from namespaces import Namespaces

MACHINES = {"A": ("1", "a"), "B": ("2", "b"), "C": ("3",)}
AWAY_SECONDS = 20
#: Two machines are away for longer than it takes until sessions end.
TWO_AWAY_SECONDS = 27
UNPROVED_SECONDS = 3.5
BYE_SECONDS = 24
CATCH_UP_SECONDS = 15
#: The journal's servers choose a leader, and then the nodes.
GOES_ON_SECONDS = 20


class Machines(Namespaces):
    """A namespace for each machine, in which its members share one address."""

    def __init__(self):
        self.machines = {member: machine for machine, members in MACHINES.items() for member in members}
        super().__init__(tuple(MACHINES), ())
        self.server_ports = dict.fromkeys("123", (4222, 8222, 6222))
        self.node_ports = dict.fromkeys("ab", 8080)

    def host(self, name):
        return self.addresses[self.machines.get(name, name)]

    def wrap(self, name):
        return super().wrap(self.machines.get(name, name))


class RecipeCluster(Cluster):
    """Made with the commands of the page."""

    def start(self, say=lambda line: None):
        variables = self.configure(say)
        self.start_journal(say)
        first, second = self.nodes
        first.folder.parent.mkdir(parents=True, exist_ok=True)
        self.found(first, variables)
        for node in self.nodes:
            node.environment |= variables
        second.take_secrets(first)
        first.token = second.token = first.make_token("operator", "admin")
        for node in self.nodes:
            say(f"node {node.name} starts")
            node.start()
            node.wait()

    def run(self, member, *words, **variables):
        words = [*self.network.wrap(member), self.binary, *words]
        return subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, **variables})

    def configure(self, say):
        """Writes the files of the journal's servers. Returns the variables of the nodes."""
        etc = pathlib.Path(self.folder, "nats")
        words = [word for server in self.servers for word in ("--server", f"n{server.number}={server.host}")]
        made = self.run("A", "cluster", "nats-conf", etc, *words, "--etc", etc, "--store", "STORE")
        if made.returncode != 0:
            say(f"this program has no 'nats-conf', the servers have no passwords and no TLS: "
                f"{made.stderr.strip().splitlines()[0]}")
            return {}
        subprocess.run([etc / "certificates.sh"], check=True, stdin=subprocess.DEVNULL, capture_output=True)
        for server in self.servers:
            server.configuration = etc / f"n{server.number}.conf"
            # On three machines it is the same path; here they share a disk.
            server.configuration.write_text(server.configuration.read_text().replace("STORE", str(server.folder)))
        lines = (etc / "watchwise.env").read_text().splitlines()
        variables = dict(line.split("=", 1) for line in lines if line.startswith("WATCHWISE_"))
        for node in self.nodes:
            node.journal = variables["WATCHWISE_JOURNAL"].split(",")
            node.monitors = variables["WATCHWISE_JOURNAL_MONITOR"].split(",")
        say(f"nats-conf has written {', '.join(sorted(path.name for path in etc.iterdir()))}")
        return variables

    def found(self, first, variables):
        variables = variables or {"WATCHWISE_JOURNAL": ",".join(first.journal),
                                  "WATCHWISE_JOURNAL_MONITOR": ",".join(first.monitors)}
        end = time.monotonic() + 30
        # Servers that have just found a leader may not have room for a stream yet.
        while (made := self.run("a", "cluster", "init", "--data", first.folder, **variables)).returncode != 0:
            if made.returncode == 2 or time.monotonic() > end:
                raise Problem(f"'watchwise cluster init' ended with {made.returncode}: {made.stderr.strip()[:300]}")
            time.sleep(0.5)


class TwoMachinesCase:
    name, word = "two machines and a small third", "two-machines"

    @classmethod
    def all(cls):
        return [cls()]

    async def play(self, options, folder, outer):
        inner = TwoMachines(options, folder, outer)
        try:
            await inner.play()
        finally:
            inner.show()


class TwoMachines(trial.Trial):
    """The trial with the bots on a cluster of this shape."""

    def __init__(self, options, folder, outer):
        self.options, self.folder, self.seed, self.chance = options, folder, outer.seed, outer.chance
        self.check, self.skip, self.faults, self.world = outer.check, outer.skip, [], None

    def make_cluster(self):
        self.disks = None
        return RecipeCluster(self.folder, pathlib.Path(self.options.bin) / "watchwise", Machines(), ("1", "2", "3"),
                             ("a", "b"),
                             ["--log-level", "info", "--connections-per-user", "64"])

    def make_world(self):
        return EdgeWorld(self.cluster, self.seed)

    def course(self):
        self.faults = MachineEdges(self).all()
        return self.faults

    def show(self):
        if any(fault.times for fault in self.faults):
            print("\n" + trial.table(report.rows(self.faults)), flush=True)


class MachineEdges(Edge):
    """Machines that are lost and come back. When the third one was lost, the journal's leader is at one of the two others."""

    def all(self):
        return [Fault("two machines and a small third: the third machine is lost", self.lose_third, 9, 20,
                      machines=True),
                Fault("two machines and a small third: the machine of the leading node is lost", self.lose_leader, 9,
                      20, machines=True),
                Fault("two machines and a small third: the other machine with a node is lost", self.lose_follower, 9,
                      20, machines=True),
                Fault("two machines and a small third: a machine with a node and the third one are lost", self.lose_two,
                      TWO_AWAY_SECONDS + GOES_ON_SECONDS, TWO_AWAY_SECONDS + 2 * GOES_ON_SECONDS, machines=True)]

    async def lose_leader(self):
        leader = await self.leader()
        await self.lose(leader, self.others(leader)[0])

    async def lose_follower(self):
        leader = await self.leader()
        await self.lose(self.others(leader)[0], leader)

    async def lose(self, node, other):
        """The other node goes on, and the lost one catches up when it is back."""
        server, stays = self.machine_of(node), await self.journal_leader()
        self.say(f"the machine with node {node.name} and {server.name} is lost; {stays.name} led the journal")
        async with watching(ready=self.readiness(other), writes=self.readiness(other, "/readyz?for=writes")) as watches:
            for member in (node, server):
                member.kill()
            await asyncio.sleep(AWAY_SECONDS)
        since = watches["writes"].since(lambda status: status == 200)
        self.say(f"node {other.name} is ready for writes from {seconds(since)} on; /readyz was "
                 f"{sorted(set(dict(watches['ready'].samples).values()))}")
        self.expect(since is not None and since <= GOES_ON_SECONDS,
                    f"node {other.name} is ready for writes from {seconds(since)} on")
        self.back(server, node)
        back = await self.await_ready(node, 60)
        self.say(f"node {node.name} is ready for writes {back:.1f} s after its machine is back")
        self.expect(back <= CATCH_UP_SECONDS, f"node {node.name} is ready {back:.1f} s after its machine is back")
        self.judge()

    async def lose_third(self):
        third = self.cluster["3"]
        self.say(f"{third.name} is lost; {(await self.journal_leader()).name} led the journal")
        looks = {f"ready_{node.name}": self.readiness(node) for node in self.cluster.nodes}
        async with watching(**looks) as watches:
            third.kill()
            await asyncio.sleep(AWAY_SECONDS)
        self.back(third)
        for name, watch in watches.items():
            bad = [at for at, status in watch.samples if status != 200]
            self.say(f"/readyz of node {name[-1]} is "
                     f"{f'503 from {bad[0]:.1f} s to {bad[-1]:.1f} s' if bad else 'always 200'}")
            # A node that read from the lost server begins again at another one.
            self.expect(not bad or bad[-1] <= CATCH_UP_SECONDS, f"/readyz of node {name[-1]} is not 200 at {bad}")
        self.judge()

    async def lose_two(self):
        """One server of three is left, and a node that cannot know what the others do."""
        leader = await self.leader()
        left, (person,) = self.others(leader)[0], self.people("alice")
        session = await person.session(left)
        gone = [leader, self.machine_of(leader), self.cluster["3"]]

        async def read():
            return (await person.command(left, 3, type="following")).status

        async with watching(ready=self.readiness(left), writes=self.readiness(left, "/readyz?for=writes"),
                            reads=read) as watches:
            began = time.monotonic()
            for member in gone:
                member.kill()
            # An answer may have been on its way.
            await asyncio.sleep(1)
            oks = len(self.world.oks)
            write = asyncio.create_task(person.command(left, type="follow", topic="movie:two"))
            await asyncio.sleep(TWO_AWAY_SECONDS - 1)
            self.expect(len(self.world.oks) == oks,
                        f"{len(self.world.oks) - oks} writes were answered without a majority")
        self.judge_left(left, watches, session, began, await write)
        # One of the two is enough.
        self.back(self.cluster["3"])
        ready = await self.await_ready(left, 60)
        self.say(f"node {left.name} is ready for writes {ready:.1f} s after the third machine is back")
        self.expect(ready <= GOES_ON_SECONDS, f"node {left.name} is ready for writes {ready:.1f} s after the third "
                                              f"machine is back")
        self.back(*gone)
        back = await self.await_ready(leader, 60)
        self.say(f"node {leader.name} is ready for writes {back:.1f} s after its machine is back")
        self.expect(back <= CATCH_UP_SECONDS, f"node {leader.name} is ready {back:.1f} s after its machine is back")
        await session.close()
        self.judge()

    def judge_left(self, left, watches, session, began, write):
        for name, what in (("ready", "/readyz"), ("writes", "/readyz?for=writes"), ("reads", "a read with a token")):
            since = watches[name].since(lambda status: status == 503)
            self.say(f"{what} of node {left.name} is 503 from {seconds(since)} on")
            self.expect(since is not None and since <= UNPROVED_SECONDS,
                        f"{what} of node {left.name} is 503 from {seconds(since)} on")
        after = None if session.ended_at is None else session.ended_at - began
        self.say(f"a session at node {left.name}: bye {session.bye}, closed with {session.closed} after "
                 f"{seconds(after)}; a write was answered with {write}")
        self.expect(after is not None and after <= BYE_SECONDS and 4503 in (session.bye, session.closed),
                    f"a session at node {left.name}: bye {session.bye}, closed with {session.closed} after "
                    f"{seconds(after)}")
        self.expect(not write.is_ok, f"a write without a majority was answered with {write}")


