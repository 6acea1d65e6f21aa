"""`watchwise cluster upgrade` to a program with newer tables while bots go on. Started by `Tests/ClusterTrials/run upgrade`.

Each case begins with a new cluster. A supervisor starts nodes again as their systemd unit does: after every end but 0 and 2, a second
later."""

import argparse
import asyncio
import pathlib
import sqlite3
import subprocess

import programs
import trial
from cluster_parts.cluster import Cluster, Loopback
from cluster_parts.processes import Problem
from faults import blocking

#: How long writes may stand: the design says 10 s, on machines of their own.
GOAL_SECONDS, LIMIT_SECONDS = 10, 40


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/ClusterTrials/run upgrade", description="See the head of Tests/ClusterTrials/run.")
    parser.add_argument("--bin", default=str(programs.ROOT / ".build/debug"), help="folder of this program (default %(default)s)")
    parser.add_argument("--new-bin", metavar="FOLDER", help="folder of the program with a migration more, instead of building it")
    parser.add_argument("--only", metavar="TEXT", help="only the cases whose name has this in it")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="of all cases (default %(default)s)")
    parser.add_argument("--seed", type=int, help="of the moments (default: a new one, printed)")
    parser.set_defaults(power=0, alone=False, apart=False, disks=False, json=None)
    return parser.parse_args()


class UpgradeTrial(trial.Trial):
    """All cases, one after the other."""

    async def play(self):
        options = self.options
        self.old = pathlib.Path(options.bin) / "watchwise"
        self.new = (pathlib.Path(options.new_bin) / "watchwise" if options.new_bin
                    else await blocking(programs.newer, "release" in pathlib.Path(options.bin).parts))
        for name, program in (("older", self.old), ("newer", self.new)):
            lines = programs.version(program)
            print(f"{name}: {lines[0]}, {lines[-1]}", flush=True)
        self.numbers = [programs.version(program)[-1].removeprefix("database ") for program in (self.old, self.new)]
        cases = [("no node fails", self.quiet), ("a node is killed at a random moment", self.kill_one),
                 ("the leader is killed between the entry and its migration", self.kill_leader),
                 ("one node is away", self.away)]
        folder = self.folder
        for number in range(options.rounds):
            for name, case in cases:
                if options.only and options.only not in name:
                    continue
                print(f"\n{name}", flush=True)
                self.name, self.folder = name, folder / f"{number}-{case.__name__}"
                self.folder.mkdir(parents=True)
                self.is_over = False
                self.case = case
                await super().play()

    def make_cluster(self):
        """On this machine's own network: nothing is cut."""
        self.disks, servers, nodes = None, ("1", "2", "3"), ("a", "b", "c")
        return Cluster(self.folder, self.old, Loopback(servers, nodes, self.folder, with_relays=False), servers, nodes,
                       ["--log-level", "info", "--connections-per-user", "64"])

    async def run(self):
        for node in self.cluster.nodes:
            programs.install(node, self.old)
        self.cluster.start(say=programs.say)
        self.away_node = None
        self.world = trial.World(self.cluster, self.seed)
        await self.world.begin()
        supervisor = asyncio.create_task(self.supervise())
        try:
            await asyncio.sleep(3)
            since, before = trial.time.monotonic(), self.world.problem_count
            problem = None
            try:
                await self.case()
                await self.await_calm()
            except (Problem, OSError) as error:
                problem = str(error)
            stood = trial.report.Measured(self.world, since, trial.time.monotonic()).stood
            if problem is None and stood > LIMIT_SECONDS:
                problem = f"at most {LIMIT_SECONDS} s are allowed"
            if problem is None and self.world.problem_count > before:
                problem = f"{self.world.problem_count - before} problems of bots"
            late = f" (the goal is {GOAL_SECONDS:,d},000)" if stood > GOAL_SECONDS else ""
            self.check(f"{self.name}: writes stood {trial.report.ms(stood)} ms{late}", problem)
            self.check("every database has the new tables, made at the same entry", self.other_tables())
        finally:
            self.is_over = True
            await supervisor
        await self.finish()

    async def supervise(self):
        """Restart=on-failure, RestartSec=1, RestartPreventExitStatus=2."""
        ended = {}
        while not self.is_over:
            for node in self.cluster.nodes:
                if node.is_running or node is self.away_node or node.process.returncode in (0, 2):
                    ended.pop(node, None)
                elif trial.time.monotonic() - ended.setdefault(node, trial.time.monotonic()) >= 1:
                    node.start()
            await asyncio.sleep(0.02)

    def other_tables(self):
        """What `trial` says: the position at the migration, and the entries of the log since. `compare` finds other rows."""
        found = set()
        for node in self.cluster.nodes:
            with sqlite3.connect(f"file:{node.folder}/watchwise.db?mode=ro", uri=True, timeout=5) as database:
                try:
                    found.add(database.execute("SELECT value FROM trial WHERE name = 'head'").fetchone()[0])
                except sqlite3.Error as error:
                    return f"node {node.name}: {error}"
        return None if len(found) == 1 else f"the nodes migrated at the positions {sorted(found)}"

    # MARK: The command

    async def upgrade(self, *more, status=0, nodes=3):
        """Runs the command on the first node's machine, shows what it says, and returns its lines."""
        first = next(node for node in self.cluster.nodes if node is not self.away_node)
        words = [*first.wrap, self.new, "cluster", "upgrade", "--journal", ",".join(first.journal), "--data", first.folder,
                 "--nodes", str(nodes), *more]
        process = await asyncio.create_subprocess_exec(
            *map(str, words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = []
        async for line in process.stdout:
            lines.append(line.decode().rstrip())
            programs.say(lines[-1])
        if await process.wait() != status:
            raise Problem(f"'watchwise cluster upgrade' ended with {process.returncode}: {' | '.join(lines[-3:])}")
        return lines

    def install_all(self):
        for node in self.cluster.nodes:
            programs.install(node, self.new)

    # MARK: The cases

    async def quiet(self):
        refused = await self.upgrade("--dry-run", status=1)
        self.check("without the new program on the nodes nothing is done", None if "nothing was done" in refused[-1] else refused[-1])
        self.install_all()
        await self.upgrade("--dry-run")
        await self.upgrade()

    async def kill_one(self):
        self.install_all()
        victim, delay = self.chance.choice(self.cluster.nodes), self.chance.uniform(0, 6)
        programs.say(f"{victim.name} is killed {delay:.1f} s after the order")
        upgrade = asyncio.create_task(self.upgrade())
        # The command looks at the nodes for two seconds before it orders.
        await asyncio.sleep(2 + delay)
        if victim.is_running:
            victim.kill()
        await upgrade

    async def kill_leader(self):
        self.install_all()
        upgrade = asyncio.create_task(self.upgrade())
        logs = {node: node.log.stat().st_size for node in self.cluster.nodes}
        end = trial.time.monotonic() + 60
        victim = None
        while victim is None and trial.time.monotonic() < end:
            for node, size in logs.items():
                with open(node.log, "rb") as log:
                    log.seek(size)
                    text = log.read()
                at = text.find(b"this node waits for the upgrade")
                if at >= 0 and b"this node leads" in text[at:]:
                    victim = node
            await asyncio.sleep(0.005)
        if victim is None:
            raise Problem("no node led while all waited")
        await asyncio.sleep(self.chance.uniform(0.02, 0.2))
        victim.kill()
        with sqlite3.connect(f"file:{victim.folder}/watchwise.db?mode=ro", uri=True) as database:
            has = database.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'trial'").fetchone()[0]
        programs.say(f"{victim.name} was killed {'after' if has else 'before'} it had the new tables")
        await upgrade

    async def away(self):
        away = self.away_node = self.cluster.followers()[0]
        code = await blocking(away.stop)
        if code != 0:
            raise Problem(f"{away.name} ended with {code}")
        await asyncio.sleep(2)
        for node in self.cluster.nodes:
            if node is not away:
                programs.install(node, self.new)
        await self.upgrade(nodes=2)
        await asyncio.sleep(2)
        # It comes back with the old program, which must not go on; then with the new one.
        away.start()
        code = await blocking(away.process.wait, 60)
        words = away.last_words(4)
        is_named = all(text in words for text in [*self.numbers, "install the newer program"])
        self.check(f"node {away.name} with the old program ends with 2, and says why",
                   None if code == 2 and is_named else f"{code}: {words}")
        programs.install(away, self.new)
        away.start()
        self.away_node = None


if __name__ == "__main__":
    trial.sys.exit(trial.main(arguments(), UpgradeTrial))
