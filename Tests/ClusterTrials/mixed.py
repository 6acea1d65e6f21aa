"""Two programs with the same tables in one cluster: each node leads in turn with either, and nodes are exchanged, while bots go
on. Started by `Tests/ClusterTrials/run mixed`."""

import argparse
import asyncio
import pathlib
import signal

import programs
import trial
from cluster_parts.processes import Problem, ask
from faults import blocking


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/ClusterTrials/run mixed", description="See the head of Tests/ClusterTrials/run.")
    parser.add_argument("--before", default=programs.BEFORE, metavar="REV", help="the commit of the older program (default %(default)s)")
    parser.add_argument("--before-bin", metavar="FOLDER", help="the folder of the older program, instead of building it")
    parser.add_argument("--bin", default=str(programs.ROOT / ".build/debug"), help="folder of this program (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="how often all nodes are exchanged (default %(default)s)")
    parser.add_argument("--seed", type=int, help="of the moments (default: a new one, printed)")
    parser.set_defaults(power=0, alone=False, apart=False, disks=False, json=None)
    return parser.parse_args()


class MixedTrial(trial.Trial):
    """The nodes a, b and c: at first b has this program, the others have the older one."""

    async def run(self):
        options = self.options
        new = pathlib.Path(options.bin) / "watchwise"
        old = (pathlib.Path(options.before_bin) / "watchwise" if options.before_bin
               else await blocking(programs.before, options.before, "release" in pathlib.Path(options.bin).parts))
        for name, program in (("older", old), ("newer", new)):
            print(f"{name}: {programs.version(program)[0]}", flush=True)
        self.running = {}
        for node, program in zip(self.cluster.nodes, (old, new, old)):
            programs.install(node, program)
            self.running[node] = program
        self.names = {old: "older", new: "newer"}
        self.cluster.start(say=programs.say)
        self.world = trial.World(self.cluster, self.seed)
        await self.world.begin()
        await asyncio.sleep(2)
        for number in range(options.rounds):
            await self.lead_in_turn()
            for node in self.cluster.nodes:
                await self.exchange(node, new if self.running[node] == old else old)
            await self.lead_in_turn()
            # At the end of a round the programs are as after an upgrade node by node, the leader last.
            leader = await blocking(self.cluster.await_leader)
            for node in [*(one for one in self.cluster.nodes if one is not leader), leader]:
                if self.running[node] == (old if number % 2 == 0 else new):
                    await self.exchange(node, new if number % 2 == 0 else old)
        await self.finish()

    def mixture(self):
        return ", ".join(f"{node.name} {self.names[program]}" for node, program in self.running.items())

    async def lead_in_turn(self):
        """Each node leads for a while, by the operator's command."""
        for wanted in self.cluster.nodes:
            since = trial.time.monotonic()
            problem = None
            try:
                await self.make_lead(wanted)
                await self.await_calm()
            except (Problem, OSError) as error:
                problem = str(error)
            stood = trial.report.Measured(self.world, since, trial.time.monotonic()).stood
            self.check(f"{wanted.name} ({self.names[self.running[wanted]]}) leads [{self.mixture()}]: writes stood "
                       f"{trial.report.ms(stood)} ms", problem)

    async def make_lead(self, wanted):
        for _ in range(30):
            leader = await blocking(self.cluster.await_leader)
            if leader is wanted:
                return
            status, body = await blocking(ask, leader.host, leader.port, "/v1/cluster/step-down", 5, "POST", leader.token)
            if status not in (202, 409):
                raise Problem(f"step-down on {leader.name}: {status} {body[:200]}")
            end = trial.time.monotonic() + 10
            while self.cluster.leader() in (leader, None) and trial.time.monotonic() < end:
                await asyncio.sleep(0.1)
        raise Problem(f"{wanted.name} was not elected in 30 elections")

    async def exchange(self, node, program):
        """Another program on one node, by SIGTERM and a start."""
        since, problem = trial.time.monotonic(), None
        try:
            programs.install(node, program)
            node.send(signal.SIGTERM)
            code = await blocking(node.process.wait, 60)
            if code != 0:
                raise Problem(f"it ended with {code}: {node.last_words()}")
            await asyncio.sleep(0.5)
            node.start()
            self.running[node] = program
            await self.await_calm()
        except (Problem, OSError) as error:
            problem = str(error)
        stood = trial.report.Measured(self.world, since, trial.time.monotonic()).stood
        self.check(f"{node.name} goes on with the {self.names[program]} program: writes stood {trial.report.ms(stood)} ms", problem)


if __name__ == "__main__":
    trial.sys.exit(trial.main(arguments(), MixedTrial))
