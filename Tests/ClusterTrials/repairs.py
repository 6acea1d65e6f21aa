"""Members that are stopped for a damage, and what an operator does to a server whose files are damaged."""

import asyncio
import shutil
import subprocess

import natsapi
from cluster_parts.processes import Problem
from faults import blocking


class Repairs:
    def __init__(self, trial):
        self.trial, self.cluster, self.chance = trial, trial.cluster, trial.chance

    def note(self, text):
        self.trial.note(text)

    async def follower(self):
        leader = await blocking(self.cluster.await_leader)
        return self.chance.choice([node for node in self.cluster.nodes if node is not leader])

    async def servers(self):
        """The server that leads the stream, and the two others."""
        leader = await blocking(self.cluster.journal_leader)
        others = [server for server in self.cluster.servers if server is not leader]
        self.chance.shuffle(others)
        return leader, others

    async def down(self, node, work):
        """Does something while a node is down."""
        self.trial.held.add(node)
        try:
            if node.is_running:
                node.kill()
            return await work() if work else None
        finally:
            node.start()
            self.trial.held.discard(node)

    async def stopped(self, servers, work):
        """Does something to the files of servers that are stopped for it, one after the other, as an operator does it."""
        for server in servers:
            server.stop()
            self.note(f"{server.name}: {work(server)}")
            server.start()
            await self.await_server(server)

    async def await_server(self, server, seconds=20):
        """Until a server has as much of the stream as the others. One that does not come to that by itself gets an empty
        folder, as an operator gives it."""
        if await self.has_caught_up(server, seconds):
            return
        said = server.last_words(1) if not server.is_running else f"it shows {server.facts()}, {server.health()}"
        self.note(f"{server.name} ({server.state}) has no whole copy of the stream after {seconds} s: {said}")
        for line in await blocking(self.check):
            self.note(f"watchwise cluster check: {line}")
        await self.renew(server)

    async def renew(self, server):
        """Gives a server an empty folder, which the stream's leader fills. It cannot, if its own copy is damaged: then another
        server must lead."""
        if server.is_running:
            server.kill()
        shutil.rmtree(server.folder, ignore_errors=True)
        server.start()
        if await self.has_caught_up(server, 20):
            return self.note(f"{server.name} with an empty folder has all again")
        self.note(f"{server.name} with an empty folder does not come further than {server.facts()}")
        leader, others = await self.servers()
        await self.lead_stream(next(other for other in others if other is not server))
        if not await self.has_caught_up(server, 30):
            raise Problem(f"{server.name} has no whole copy from any other server: {server.facts()}")
        self.note(f"{server.name} has all again, from another server than {leader.name}")

    async def renew_damaged(self, servers):
        """What an operator does when a server's log names damage: else it is there until somebody needs the entry."""
        await self.lead_stream(next(server for server in self.cluster.servers if server not in servers))
        for server in servers:
            await self.renew(server)

    def check(self):
        """The problems that `watchwise cluster check` finds; a Problem when it finds none."""
        node = self.cluster.nodes[0]
        words = [node.binary, "cluster", "check", "--server", node.url, "--token", node.token, "--journal",
                 ",".join(node.journal), "--journal-monitor", ",".join(node.monitors)]
        answer = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        found = [line for line in answer.stdout.splitlines() if line.startswith("problem")]
        if answer.returncode != 1 or not found:
            raise Problem(f"'watchwise cluster check' ended with {answer.returncode}: {answer.stdout} {answer.stderr}")
        return found

    async def has_caught_up(self, server, seconds):
        """Whether a server has what the others have and calls itself well, three times in a row. One that could not read
        its Raft log shows what it had as before, and takes no part any more."""
        count = 0
        for _ in range(seconds * 3):
            await asyncio.sleep(0.33)
            if not server.is_running:
                return False
            last = max(one.facts().get("last", 0) for one in self.cluster.servers if one is not server)
            mine = server.facts().get("last", 0)
            count = count + 1 if mine and mine + 80 >= last and server.health() == "ok" else 0
            if count == 3:
                return True
        return False

    async def lead_stream(self, server):
        if server.facts().get("leader") == f"n{server.number}":
            return self.note(f"{server.name} leads the stream")
        try:
            await blocking(natsapi.lead, server)
            for _ in range(50):
                await asyncio.sleep(0.2)
                if server.facts().get("leader") == f"n{server.number}":
                    return self.note(f"{server.name} is made to lead the stream")
        except Problem as problem:
            return self.note(f"{server.name} cannot be made the leader: {problem}")
        self.note(f"{server.name} does not lead the stream")
