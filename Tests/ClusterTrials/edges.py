"""The faults at the edges: links that fail while clients reach the nodes, clocks, disks that stand still, strangers, old leaders,
restored backups, and the recipe with two machines. Started by `Tests/ClusterTrials/run trial --edges`."""

import argparse
import pathlib
import sys

import trial  # it says where the other modules are
import namespaces
import wrongclock
from cluster_parts.cluster import Cluster
from cluster_parts.processes import Problem
from edge import EdgeWorld
from faults import blocking
from linkedges import LinkEdges
from memberedges import MemberEdges
from nodeedges import NodeEdges
from oldleader import OldLeaderEdges
from proxycase import ProxyCase
from restores import RestoreCase
from strangers import StrangerEdges
from Trials import skips
from Trials.faults import Control, compile_library
from twomachines import TwoMachinesCase

SERVERS, NODES = ("1", "2", "3"), ("a", "b", "c")


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/ClusterTrials/run trial --edges", description=__doc__)
    parser.add_argument("--edges", action="store_true", help="these faults")
    parser.add_argument("--only", metavar="TEXT", help="only the cases whose name has this in it")
    parser.add_argument("--seed", type=int, help="of the bots and of the noise (default: a new one, printed)")
    parser.add_argument("--bin", default=str(trial.ROOT / ".build/debug"),
                        help="folder of the programs (default %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the times there, too")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    skips.add_option(parser)
    parser.set_defaults(mode="short", rounds=1, power=0, alone=False, apart=False, disks=False)
    return parser.parse_args()


class EdgeTrial(trial.Trial):
    """The faults of one cluster, one after the other; then the cases that make clusters of their own."""

    groups = (LinkEdges, NodeEdges, MemberEdges, OldLeaderEdges, StrangerEdges)
    own = (RestoreCase, TwoMachinesCase, ProxyCase)

    def is_chosen(self, name):
        return not self.options.only or self.options.only in name

    async def play(self):
        if self.options.list:
            return self.show_names()
        if (why := namespaces.why_not()) is not None:
            return self.skip(f"all faults at the edges, since there are no network namespaces here: {why}")
        if any(self.is_chosen(fault.name) for fault in self.all_faults(None)):
            await super().play()
        for kind in self.own:
            for case in kind.all():
                if self.is_chosen(case.name):
                    await self.play_case(case)

    def cannot(self, what, why):
        """A thing that this machine cannot do is a failure, unless that is allowed."""
        self.skip(f"{what}, since {why}")
        if not self.options.allow_skips:
            self.check(f"{what} are tried", why)

    def show_names(self):
        for name in [*(fault.name for fault in self.all_faults(None)),
                     *(case.name for kind in self.own for case in kind.all())]:
            print(name)
        self.check("the names are printed", None)

    async def play_case(self, case):
        print(f"\n{case.name}", flush=True)
        # Clusters have the same addresses, so each ends before the next one begins.
        folder = self.folder / f"case-{case.word}"
        folder.mkdir()
        try:
            await case.play(self.options, folder, self)
        except (Problem, OSError) as problem:
            self.check(f"{case.name}: it comes to its end", str(problem))

    # MARK: The faults of one cluster

    def make_cluster(self):
        self.disks = None
        cluster = Cluster(self.folder, pathlib.Path(self.options.bin) / "watchwise",
                          namespaces.Namespaces(SERVERS, NODES),
                          SERVERS, NODES, ["--log-level", "info", "--connections-per-user", "64"])
        # One library makes disks fail, the other one clocks.
        libraries = f"{wrongclock.compile_library(self.folder)}:{compile_library(self.folder)}"
        self.controls, self.clocks = {}, {}
        for node in cluster.nodes:
            self.controls[node.name] = control = Control(f"{self.folder}/node-{node.name}.control")
            self.clocks[node.name] = clock = wrongclock.Clock(f"{self.folder}/node-{node.name}.clock")
            node.environment = {"LD_PRELOAD": libraries, "FAULT_ROOT": str(node.folder), "FAULT_CONTROL": control.path,
                                "CLOCK_SHIFT": clock.path}
        return cluster

    def make_world(self):
        return EdgeWorld(self.cluster, self.seed)

    def all_faults(self, of):
        groups = (group(of) if of else group.__new__(group) for group in self.groups)
        return [fault for group in groups for fault in group.all()]

    def course(self):
        """In this order: later ones do more to the cluster."""
        self.faults = [fault for fault in self.all_faults(self) if self.is_chosen(fault.name)]
        return self.faults

    async def suffer(self, fault):
        await super().suffer(fault)
        try:
            problem, _ = await blocking(self.cluster.verify)
        except (Problem, OSError) as error:
            problem = str(error)
        self.check(f"{fault.name}: the nodes are equal", problem)


if __name__ == "__main__":
    sys.exit(trial.main(arguments(), EdgeTrial))
