"""Conversations over three nodes, by bots that change nodes, while nodes and journal servers are killed: those of Tests/Data,
and real ones of ../shared/data where they are. Started by Tests/ClusterTrials/run. The bots are those of watchwise-load replay, whose ledger knows every delivery on every device."""

import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(ROOT / "Tests"))

import compare  # noqa: E402
from cluster_parts.cluster import Cluster, Loopback  # noqa: E402
from cluster_parts.processes import Problem  # noqa: E402
from Trials import conversations  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="Tests/ClusterTrials/run replay", description=__doc__)
    parser.add_argument("--kills", type=int, default=12, metavar="N", help="number of kills for each file (default %(default)s)")
    parser.add_argument("--seed", type=int, help="seed of the random moments (default: a new one, printed)")
    parser.add_argument("--bin", default=str(ROOT / ".build/debug"), help="folder of the programs (default %(default)s)")
    conversations.add_option(parser)
    parser.add_argument("--limit", type=int, default=400, metavar="N", help="conversations of one play (default %(default)s)")
    parser.add_argument("--alone", action="store_true", help="one node without a journal: a trial of this trial")
    return parser.parse_args()


class Replay:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.passed = self.failed = self.plays = 0
        self.player = None

    def check(self, what, is_right):
        self.passed, self.failed = self.passed + is_right, self.failed + (not is_right)
        print(f"{'ok    ' if is_right else 'not ok'}  {what}", flush=True)

    def begin_play(self, file):
        self.plays += 1
        self.log = self.folder / f"play-{self.plays}.log"
        first, *others = self.cluster.nodes
        words = [f"{self.options.bin}/watchwise-load", "replay", *conversations.played(file, self.options.limit), "--server", first.url,
                 "--data", first.folder, "--patience", 120, "--move-every", 100]
        for node in others:
            words += ["--also", node.url]
        with open(self.log, "w") as output:
            self.player = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *map(str, words)], stdin=subprocess.DEVNULL,
                                           stdout=output, stderr=output)
        # The requests before it plays are sent once, to the first node.
        self.wait_for_text("conversations ·", 20)

    def wait_for_text(self, text, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.player.poll() is None and text not in self.log.read_text():
            time.sleep(0.1)

    def end_play(self):
        self.player.wait(400)
        text = self.log.read_text().strip()
        lines = [line for line in text.splitlines() if "deliveries ·" in line]
        self.check(f"play {self.plays}: {lines[-1].strip() if lines else 'no line'}", self.player.returncode == 0)
        if self.player.returncode != 0:
            print(text[-3000:], flush=True)

    def run(self, chance):
        options = self.options
        servers, nodes = ((), ("a",)) if options.alone else (("1", "2", "3"), ("a", "b", "c"))
        network = Loopback(servers, nodes, self.folder, with_relays=False)
        self.cluster = Cluster(self.folder, f"{options.bin}/watchwise", network, servers, nodes,
                               ["--log-level", "info"])
        try:
            self.cluster.start()
            for place, file in enumerate(conversations.files(options.file)):
                self.begin_play(file)
                for number in range(options.kills):
                    time.sleep(chance.uniform(0.5, 3))
                    if self.player.poll() is not None:
                        self.end_play()
                        self.begin_play(file)
                    self.kill(chance, place * options.kills + number)
                self.end_play()
            for node in self.cluster.nodes:
                node.wait()
            problems, sentence = compare.compare(self.cluster, self.folder / "copies")
            for problem in problems[:12]:
                print(f"      problem: {problem}", flush=True)
            self.check(sentence, not problems)
        finally:
            if self.player is not None and self.player.poll() is None:
                self.player.kill()
            self.cluster.end()

    def kill(self, chance, number):
        """One member dies, sometimes two; never so many that no two journal servers are left. They come back after a while."""
        members = [chance.choice(self.cluster.nodes)]
        if self.cluster.servers:
            members = chance.choice([members, members, [chance.choice(self.cluster.servers)],
                                     [*members, chance.choice(self.cluster.servers)]])
        for member in members:
            member.kill()
        time.sleep(chance.uniform(0.2, 8 if any(member in self.cluster.servers for member in members) else 4))
        for member in members:
            member.start()
        print(f"        kill {number + 1}: {', '.join(member.name for member in members)}", flush=True)
        for member in members:
            if member in self.cluster.nodes:
                member.wait(60)


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    seed = options.seed if options.seed is not None else random.randrange(1 << 32)
    print(f"{options.kills} kills, seed {seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="watchwise-trial-replay-")
    replay = Replay(options, folder)
    try:
        replay.run(random.Random(seed))
    except (Problem, OSError, subprocess.SubprocessError) as problem:
        replay.check(f"the trial: {problem}", False)
    if replay.failed:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{replay.passed} passed, {replay.failed} failed")
    return 1 if replay.failed else 0


if __name__ == "__main__":
    sys.exit(main())
