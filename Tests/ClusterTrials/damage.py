"""Damaged files of journal servers and nodes, and an operator's errors, while bots write. Started by Tests/ClusterTrials/run.

Each damage is mended by NATS, or by the nodes, or by `watchwise cluster reseed`, which the trial runs when the nodes ask for
it. Nothing acknowledged may be lost, and no two nodes may differ without one of them saying so."""

import argparse
import asyncio
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))

from cluster_parts.cluster import Cluster, Loopback  # noqa: E402
from cluster_parts.processes import Problem, ask  # noqa: E402
from damages import Damages  # noqa: E402
from faults import blocking  # noqa: E402
from trial import Trial, main  # noqa: E402

#: The damages of a change: one that a node mends, and one that only `reseed` does.
SHORT = ("a bit of a page's head in a node's database", "the stream is deleted")
#: A node ends with this when it must start again, as a service manager does.
REJOINS = 75


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/ClusterTrials/run damage", description=__doc__)
    parser.add_argument("--mode", choices=("short", "full"), default="short", help="short: two damages; full: all")
    parser.add_argument("--seed", type=int, help="of the order and the moments (default: a new one, printed)")
    parser.add_argument("--only", metavar="TEXT", help="only the damages whose name has this in it, or one of several texts with commas")
    parser.add_argument("--bin", default=str(ROOT / ".build/debug"), help="folder of the programs (default %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the times there, too")
    parser.set_defaults(rounds=1, power=0, disks=False, alone=False, apart=False)
    return parser.parse_args()


class DamageTrial(Trial):
    """A trial whose faults are damages. `notes` says for each how it was found and mended."""

    def __init__(self, options, folder, checks):
        super().__init__(options, folder, checks)
        self.notes = []
        #: Nodes that are down by intention.
        self.held = set()

    def make_cluster(self):
        self.disks = None
        servers, nodes = ("1", "2", "3"), ("a", "b", "c")
        network = Loopback(servers, nodes, self.folder, with_relays=False)
        more = ["--log-level", "info", "--connections-per-user", "64"]
        return Cluster(self.folder, pathlib.Path(self.options.bin) / "watchwise", network, servers, nodes, more)

    def course(self):
        damages = Damages(self).all()
        if self.options.only:
            damages = [one for one in damages if any(text in one.name for text in self.options.only.split(","))]
        elif self.options.mode == "short":
            damages = [one for one in damages if one.name in SHORT]
        self.faults = damages
        return damages

    async def run(self):
        self.supervisor = asyncio.create_task(self.supervise())
        try:
            await super().run()
        finally:
            self.supervisor.cancel()

    async def supervise(self):
        """Starts a node again that ended in order to fetch another database, as a service manager does."""
        while True:
            await asyncio.sleep(0.3)
            for node in self.cluster.nodes:
                if node.process is None or node.is_running or node in self.held:
                    continue
                if node.process.returncode != REJOINS:
                    continue
                self.note(f"node {node.name} ended with {REJOINS}: {self.reason(node)}")
                node.start()

    def note(self, text):
        self.notes.append(text)
        print(f"        {text}", flush=True)

    @staticmethod
    def reason(node):
        """The newest error of a node's log."""
        lines = [line for line in node.log.read_text(errors="replace").splitlines() if " error " in line.lower()[:60]]
        return lines[-1][-420:] if lines else node.last_words(1)

    # MARK: Mending

    async def suffer(self, fault):
        self.notes = []
        self.sizes = {member: member.log.stat().st_size for member in [*self.cluster.servers, *self.cluster.nodes]}
        await super().suffer(fault)
        for server in self.cluster.servers:
            for line in self.complaints(server):
                print(f"        {server.name} says: {line}", flush=True)
        problem, _ = await blocking(self.cluster.verify)
        if problem:
            self.check(f"{fault.name}: the nodes are equal", problem)

    def said(self, member):
        """The lines that a member has written since the damage."""
        with open(member.log, "rb") as file:
            file.seek(self.sizes[member])
            return file.read().decode(errors="replace").splitlines()

    def complaints(self, server):
        """The kinds of warnings that a journal server has written since."""
        found = {}
        for line in self.said(server):
            mark = next((mark for mark in ("[WRN]", "[ERR]", "[FTL]") if mark in line), None)
            if mark and not any(usual in line for usual in ("Error trying to connect to route", "Slow Consumer", "no longer available")):
                said = line[line.index(mark):][:200]
                found.setdefault("".join(letter for letter in said if not letter.isdigit())[:60], said)
        return list(found.values())[:6]

    async def await_calm(self):
        """Waits; when the nodes have stopped, or the journal is gone, does what their sentences say: `reseed`."""
        end = time.monotonic() + 35
        while time.monotonic() < end:
            oks, is_calm = len(self.world.oks), await blocking(self.is_calm)
            # A node that reads a damaged entry ends a moment after it was ready; and without a journal it is ready for 5 s.
            await asyncio.sleep(3)
            if is_calm and len(self.world.oks) > oks + 20 and await blocking(self.is_calm):
                return await super().await_calm()
            if time.monotonic() > end - 30 and await blocking(self.asks_for_reseed):
                await self.reseed()
                break
        await super().await_calm()

    def is_calm(self):
        for node in self.cluster.nodes:
            try:
                if not node.is_running or ask(node.host, node.port, "/readyz?for=writes")[0] != 200:
                    return False
            except OSError:
                return False
        return True

    def asks_for_reseed(self):
        """Whether a node says that the journal is not the one that it follows, for as long as it needs to be sure."""
        for node in self.cluster.nodes:
            if not node.is_running:
                continue
            if any("cluster reseed" in line for line in self.said(node)) and not self.is_ready_for_writes(node):
                return True
        return False

    @staticmethod
    def is_ready_for_writes(node):
        try:
            return ask(node.host, node.port, "/readyz?for=writes")[0] == 200
        except OSError:
            return False

    async def reseed(self):
        """The operator's part: which node is furthest, delete the stream that is short, and make it again from there."""
        nodes, figures = self.cluster.nodes, {}
        for node in nodes:
            if node.is_running:
                figures[node] = (await blocking(node.figures)).get("journal_applied", 0)
                status, body = await blocking(ask, node.host, node.port, "/readyz?for=writes")
                said = next((line for line in reversed(self.said(node)) if "cluster reseed" in line), "nothing in the log")
                self.note(f"node {node.name} is at {figures[node]:.0f}; for writes {status} {body.decode()[:120].strip()}; {said[-330:]}")
                if status != 503:
                    self.world.problem(f"node {node.name} is ready for writes without a journal")
        furthest = max(figures, key=figures.get)
        self.held = {furthest}
        await blocking(furthest.stop)
        try:
            answer = self.run_reseed(furthest)
            if answer.returncode != 0 and "--delete-journal" in answer.stderr:
                self.note(f"reseed says: {answer.stderr.strip()[:300]}")
                answer = self.run_reseed(furthest, "--delete-journal")
            if answer.returncode != 0:
                raise Problem(f"reseed ended with {answer.returncode}: {answer.stderr.strip()[:500]}")
            self.note(f"mended by reseed: {answer.stdout.strip().splitlines()[0]}")
        finally:
            furthest.start()
            self.held = set()
        # All others are started again, as the command says.
        for node in nodes:
            if node is not furthest and node.is_running:
                self.held.add(node)
                await blocking(node.stop)
                node.start()
        self.held = set()

    def run_reseed(self, node, *more):
        words = [node.binary, "cluster", "reseed", "--from", node.folder, "--journal", ",".join(node.journal),
                 "--nodes", len(self.cluster.nodes), *more]
        return subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main(arguments(), DamageTrial))
