"""Bots on a cluster while its parts are killed, frozen, stopped and cut off. Started by Tests/ClusterTrials/run."""

import argparse
import asyncio
import json
import os
import pathlib
import random
import resource
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))

import compare  # noqa: E402
import namespaces  # noqa: E402
import power  # noqa: E402
import report  # noqa: E402
from checks import Checks  # noqa: E402
from cluster_parts.cluster import Cluster, Loopback  # noqa: E402
from cluster_parts.processes import Problem  # noqa: E402
from cluster_parts.view import table  # noqa: E402
from disks import DiskFaults  # noqa: E402
from faults import AloneFaults, Fault, Faults, blocking  # noqa: E402
from Trials import verdict  # noqa: E402
from world import World  # noqa: E402

#: The faults of a change: the first ones of Faults.all().
SHORT = 7
#: The file systems that can be full: they hold all that a trial writes.
SMALL_MEGABYTES = 160


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/ClusterTrials/run", description="See the head of Tests/ClusterTrials/run.")
    parser.add_argument("--mode", choices=("short", "full"), default="short", help="short: the first seven faults once; full: all, --rounds times")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of the full mode (default %(default)s)")
    parser.add_argument("--seed", type=int, help="of the order and the moments (default: a new one, printed)")
    parser.add_argument("--only", metavar="TEXT", help="only the faults whose name has this in it")
    parser.add_argument("--bin", default=str(ROOT / ".build/debug"), help="folder of the programs (default %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the times there, too")
    parser.add_argument("--power", type=int, default=0, metavar="N", help="N power cuts of everything, on file systems of their own (root)")
    parser.add_argument("--disks", action="store_true", help="full and slow disks, wrong clocks, no majority of the journal, in place of the other faults")
    parser.add_argument("--edges", action="store_true", help="faults at the edges in place of the others, with arguments of their own (edges.py)")
    parser.add_argument("--alone", action="store_true", help="one node without a journal: a trial of the bots")
    parser.add_argument("--apart", action="store_true", help="three nodes that know nothing of each other: the checks must find it")
    return parser.parse_args()


class Trial:
    def __init__(self, options, folder, checks):
        self.options, self.folder = options, pathlib.Path(folder)
        self.check, self.skip = checks.judge, checks.skip
        self.seed = options.seed if options.seed is not None else random.randrange(1 << 32)
        self.chance = random.Random(self.seed)
        self.faults, self.world = [], None

    # MARK: The cluster

    def make_cluster(self):
        options, why = self.options, None
        servers, nodes = (("1", "2", "3"), ("a", "b", "c")) if not options.alone else ((), ("a",))
        if options.apart:
            servers = ()
        if servers:
            why = namespaces.why_not()
            if why is not None:
                self.skip(f"cuts of the network, since there are no network namespaces here: {why}")
        network = (namespaces.Namespaces(servers, nodes) if servers and why is None
                   else Loopback(servers, nodes, self.folder, with_relays=False))
        self.disks = power.Disks(self.folder, servers, nodes) if options.power else None
        if options.disks and os.geteuid() == 0:
            self.disks = power.Disks(self.folder, servers, nodes, SMALL_MEGABYTES)
        more = ["--log-level", "info", "--connections-per-user", "64"]
        return Cluster(self.folder, pathlib.Path(options.bin) / "watchwise", network, servers, nodes, more)

    async def play(self):
        self.cluster = self.make_cluster()
        try:
            await self.run()
        finally:
            if self.world is not None:
                await self.world.close()
            self.cluster.end()
            if self.disks is not None:
                self.disks.end()

    async def run(self):
        if self.options.apart:
            self.start_apart()
        else:
            # A process gets SIGKILL when the thread that started it ends: all start on this one.
            self.cluster.start(say=lambda line: print(f"        {line}", flush=True))
        if self.disks is not None:
            self.disks.settle()
        self.world = self.make_world()
        await self.world.begin()
        await asyncio.sleep(3)
        if not self.world.oks:
            raise Problem("no write was answered in three seconds without any fault")
        for fault in self.course():
            await self.suffer(fault)
        await self.finish()

    def make_world(self):
        return World(self.cluster, self.seed)

    def start_apart(self):
        first = self.cluster.nodes[0]
        for node in self.cluster.nodes:
            if node is not first:
                node.take_secrets(first)
            node.start()
            node.wait()

    def course(self):
        """The faults in the order in which they come."""
        options = self.options
        if options.apart:
            return []
        faults = (AloneFaults if options.alone else Faults)(self.cluster).all()
        if options.disks:
            faults = DiskFaults(
                self.cluster, self.disks, lambda text: print(f"        {text}", flush=True), self.skip).all()
        can_cut = getattr(self.cluster.network, "can_cut_anything", False)
        chosen = [fault for fault in faults if (can_cut or not fault.cuts) and (not options.only or options.only in fault.name)]
        if options.mode == "short" and not options.only and not options.disks:
            chosen = chosen[:SHORT]
        course = []
        for _ in range(options.rounds if options.mode == "full" else 1):
            part = list(chosen)
            self.chance.shuffle(part)
            course += part
        if options.power:
            course = [Fault("power cut of everything", lambda: self.disks.cut(self.cluster), 15, 60)] * options.power
        self.faults = list({id(fault): fault for fault in course}.values())
        return course

    # MARK: One fault

    async def suffer(self, fault):
        """Does a fault, waits for calm, and judges what clients saw."""
        world, before = self.world, self.world.problem_count
        world.shown = 0
        await asyncio.sleep(self.chance.uniform(0.3, 1.5))
        since, oks = time.monotonic(), len(world.oks)
        problem = None
        try:
            await fault.do()
            await self.await_calm()
        except (Problem, RuntimeError, OSError) as error:
            problem = str(error)
        measured = report.Measured(world, since, time.monotonic())
        fault.times.append(measured)
        stood = f"writes stood {report.ms(measured.stood)} ms"
        if problem is None and len(world.oks) == oks:
            problem = "no write was answered any more"
        if problem is None and measured.stood > fault.limit:
            problem = f"{stood}, at most {fault.limit:g} s are allowed"
        if problem is None and world.problem_count > before:
            problem = f"{world.problem_count - before} problems of bots"
        late = f" (the goal is {report.ms(fault.goal)})" if measured.stood > fault.goal else ""
        self.check(f"{fault.name}: {stood}{late}", problem)

    async def await_calm(self):
        """Every node is ready, one leads, and a write through each node is answered."""
        for member in [*self.cluster.servers, *self.cluster.nodes]:
            if not member.is_running:
                raise Problem(f"{member.name} ended by itself: {member.last_words()}")
        for node in self.cluster.nodes:
            await blocking(node.wait, 60)
        if self.cluster.servers:
            await blocking(self.cluster.await_leader)
        await asyncio.sleep(1)
        oks, end = len(self.world.oks), time.monotonic() + 45
        while len(self.world.oks) < oks + 20:
            if time.monotonic() > end:
                raise Problem("writes do not go on within 45 s after everything is back")
            await asyncio.sleep(0.05)

    # MARK: The end

    async def finish(self):
        world, before = self.world, self.world.problem_count
        world.shown = 0
        await world.rest()
        self.check(f"all {len(world.oks):,} writes are answered, and all devices are live",
                   f"{world.problem_count - before} problems" if world.problem_count > before else None)
        world.shown, before = 0, world.problem_count
        checks = Checks(world)
        await checks.all()
        counts = ", ".join(f"{count:,} {name}" for name, count in checks.counts.items())
        self.check(f"nothing lost, doubled or reordered: {counts}",
                   f"{world.problem_count - before} problems" if world.problem_count > before else None)
        self.check("the bots saw no broken promise meanwhile", f"{world.problem_count} problems" if world.problem_count else None)
        if self.cluster.servers:
            problem, count = await blocking(self.cluster.verify)
            self.check(f"{len(self.cluster.nodes)} nodes digest {count:,} rows each at the same entry, and are equal", problem)
        problems, sentence = compare.compare(self.cluster, self.folder / "copies")
        for problem in problems[:12]:
            print(f"      problem: {problem}", flush=True)
        self.check(sentence, f"{len(problems)} differences" if problems else None)
        for node in self.cluster.nodes:
            code = await blocking(node.stop)
            self.check(f"node {node.name} ends with 0 after SIGTERM", None if code == 0 else f"it ended with {code}")

    def show(self):
        if any(fault.times for fault in self.faults):
            print("\n" + table(report.rows(self.faults)), flush=True)
        if self.options.json:
            pathlib.Path(self.options.json).write_text(json.dumps({"seed": self.seed, "faults": report.json_rows(self.faults)}))


def main(options, kind=Trial):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))

    def play(checks, folder):
        trial = kind(options, folder, checks)
        print(f"seed {trial.seed}", flush=True)
        try:
            asyncio.run(trial.play())
        finally:
            trial.show()

    return verdict.run(play, name="trial")


if __name__ == "__main__":
    sys.exit(main(arguments()))
