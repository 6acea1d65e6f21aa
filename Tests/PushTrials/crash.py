#!/usr/bin/env python3
"""Kills the server with SIGKILL while it pushes to thousands of devices.

Each round broadcasts to the followers of a topic, kills the server at a random moment of the pushing, starts it again,
and waits until the job has ended. Then every device must have been pushed, at most one page of 256 again, and each
repeat with the same collapse id. The last line is "N passed, M failed"; a round is one check."""

import asyncio
import collections
import random
import sys
import time
from pathlib import Path

from server import Providers, Server, device_token, register_all, wait

from Trials import verdict

PAGE = 256
TOPIC = "person:525"


def arguments():
    parser = verdict.Arguments(__doc__, seed="of the random moments")
    parser.add_argument("--rounds", type=int, default=100, help="number of kills (default 100)")
    parser.add_argument("--devices", type=int, default=5000, help="devices that each round pushes (default 5000)")
    return parser.parse_args()


class Round:
    """One broadcast, one kill."""

    def __init__(self, server: Server, providers: Providers, wanted: set[str], chance: random.Random):
        self.server, self.providers, self.wanted, self.chance = server, providers, wanted, chance
        self.ids: dict[str, list[str]] = collections.defaultdict(list)

    def collect(self) -> int:
        """Reads what the fake has received; returns how many devices were pushed so far."""
        for push in self.providers.pushes():
            self.ids[push["device"]].append(dict(push["headers"]).get("apns-collapse-id", ""))
        return len(self.ids)

    def play(self, number: int) -> str | None:
        """What is wrong; nil when nothing is."""
        sent = self.server.call("POST", "/v1/broadcasts", {"audience": TOPIC, "title": f"Round {number}"})
        # The kill falls between the first push and the last.
        share = self.chance.uniform(0, 0.95) * len(self.wanted)
        if not wait(lambda: self.collect() > share, 60):
            return f"after 60 s, {len(self.ids)} devices were pushed"
        before = len(self.ids)
        self.server.restart()
        if not wait(lambda: self.is_ended(sent["id"]), 120):
            return f"the job did not end in 120 s; {self.collect()} devices were pushed"
        time.sleep(0.3)
        self.collect()
        repeats = sum(len(ids) - 1 for ids in self.ids.values())
        self.report = f"killed after {before}, repeated {repeats}"
        missing, foreign = self.wanted - self.ids.keys(), self.ids.keys() - self.wanted
        tags = {tag for ids in self.ids.values() for tag in ids}
        if missing or foreign:
            return f"{len(missing)} devices were left out, {len(foreign)} should not have been pushed"
        if repeats > PAGE:
            return f"{repeats} pushes were repeated"
        if len(tags) != 1 or "" in tags:
            return f"the pushes have {len(tags)} collapse ids: {list(tags)[:3]}"
        return None

    def is_ended(self, broadcast: str) -> bool:
        counts = self.server.call("GET", f"/v1/broadcasts/{broadcast}")
        return counts["pushed"] + counts["skipped"] + counts["failed"] >= len(self.wanted)


def play(checks: verdict.Verdict, folder: Path) -> None:
    options = OPTIONS
    chance = random.Random(options.seed)
    providers = Providers(folder)
    server = Server(options.program, folder, [*providers.settings(), "--push-rate", "100000"])
    server.start()
    users = [f"fan{number}" for number in range(options.devices)]
    wanted = {device_token(user) for user in users}
    started = time.monotonic()
    asyncio.run(register_all(server, users, follow=TOPIC))
    print(f"{options.devices} devices registered in {time.monotonic() - started:.0f} s, seed {options.seed}", flush=True)
    for number in range(1, options.rounds + 1):
        game = Round(server, providers, wanted, chance)
        problem = game.play(number)
        checks.judge(f"round {number}", problem)
        if problem or number % 10 == 0 or options.rounds <= 10:
            print(f"round {number}, {time.monotonic() - started:.0f} s: {problem or game.report}", flush=True)
        if checks.failed >= 3:
            print("three rounds failed: stopped")
            break
    checks.equal("the server ends with 0", server.stop(), 0)
    providers.stop()


OPTIONS = arguments()
sys.exit(verdict.run(play, verdict.Verdict(is_quiet=True), "push-crash"))
