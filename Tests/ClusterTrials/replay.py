"""Conversations over three nodes, by bots that change nodes, while nodes and journal servers are killed: those of Tests/Data,
and real ones of ../shared/data where they are. Started by Tests/ClusterTrials/run. The bots are those of watchwise-load replay, whose ledger knows every delivery on every device."""

import pathlib
import random
import subprocess
import sys
import time

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[2] / name) for name in ("deploy", "Tests"))

import compare
from cluster_parts.cluster import Cluster, Loopback
from Trials import conversations, verdict


def arguments():
    parser = verdict.Arguments(__doc__, seed="of the random moments")
    parser.add_argument("--kills", type=int, default=12, metavar="N", help="number of kills for each file (default %(default)s)")
    conversations.add_option(parser)
    parser.add_argument("--limit", type=int, default=400, metavar="N", help="conversations of one play (default %(default)s)")
    parser.add_argument("--alone", action="store_true", help="one node without a journal: a trial of this trial")
    return parser.parse_args()


class Replay:
    def __init__(self, options, folder, checks):
        self.options, self.folder, self.check = options, folder, checks.check
        self.plays, self.player = 0, None

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
        self.cluster = Cluster(self.folder, options.program, network, servers, nodes,
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


def play(checks, folder):
    print(f"{OPTIONS.kills} kills, seed {OPTIONS.seed}", flush=True)
    Replay(OPTIONS, folder, checks).run(random.Random(OPTIONS.seed))


if __name__ == "__main__":
    OPTIONS = arguments()
    sys.exit(verdict.run(play, name="trial-replay"))
