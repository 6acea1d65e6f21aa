#!/usr/bin/env python3
"""Compares who is pushed with a simple model, for many people at random: devices, sessions that look or do not, acks within
and after the hold, marks that say seen, levels. All of them run at the same time against the real server.

The last line is "N passed, M failed"; a person is one check."""

import asyncio
import json
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from server import TOPIC, Providers, Server, Session, device_token

from Trials import verdict
from Trials.device import Peer
from Trials.process import Problem

HOLD = {"active": 4.0, "time-sensitive": 2.0, "critical": 0.0}
DEVICES = ["phone", "tablet"]


def arguments():
    parser = verdict.Arguments(__doc__, seed="of the choices")
    parser.add_argument("--people", type=int, default=300, help="people at once (default 300)")
    parser.add_argument("--rounds", type=int, default=1, help="times that everybody is new (default 1)")
    return parser.parse_args()


@dataclass
class Visit:
    """A session of a person, and what happens in it. Seconds count from the notification's arrival; nil is never."""

    device: str
    focus: bool | None
    acks: float | None
    sees: float | None

    @staticmethod
    def at_random(device: str, hold: float, chance: random.Random) -> "Visit":
        # Far enough from the end of the hold, so that a busy machine does not decide.
        early = [hold * share for share in (0.02, 0.3, 0.6)] if hold else []
        moments = [None, *early, hold + 6]
        return Visit(device, chance.choice([None, None, True, False]), chance.choice(moments),
                     chance.choice([None, None, None, *early]))


@dataclass
class Person:
    name: str
    level: str
    devices: list[str]
    visits: list[Visit] = field(default_factory=list)
    pushed: set[str] = field(default_factory=set)

    @staticmethod
    def at_random(name: str, chance: random.Random) -> "Person":
        level = chance.choice(["passive", "active", "active", "active", "time-sensitive", "critical"])
        person = Person(name, level, chance.sample(DEVICES, chance.randint(1, 2)))
        places = chance.sample([*DEVICES, "laptop"], chance.choice([0, 0, 1, 1, 2]))
        person.visits = [Visit.at_random(place, HOLD.get(level, 4.0), chance) for place in places]
        return person

    def expected(self) -> set[str]:
        """The model: the devices that are pushed."""
        if self.level == "passive":
            return set()
        hold = HOLD[self.level]

        def within(moment: float | None) -> bool:
            return moment is not None and moment < hold

        if any(within(visit.sees) for visit in self.visits):
            return set()
        looking = [visit for visit in self.visits
                   if visit.focus is True or (visit.focus is None and within(visit.acks))]
        if self.level != "critical" and any(within(visit.acks) for visit in looking):
            return set()
        return set(self.devices) - {visit.device for visit in looking}


class Play:
    def __init__(self, server: Server, people: list[Person], ready: asyncio.Barrier):
        self.server, self.people, self.ready = server, people, ready

    async def register(self, person: Person) -> None:
        for device in person.devices:
            async with Session(self.server, person.name, device) as session:
                await session.ask("device", platform="apns", token=device_token(person.name + device), topic=TOPIC)

    async def visit(self, person: Person, visit: Visit) -> None:
        async with Session(self.server, person.name, visit.device) as session:
            if visit.focus is not None:
                await session.ask("focus", on=visit.focus)
            await self.ready.wait()
            while (event := await session.next())["type"] != "notification":
                pass
            arrived = time.monotonic()
            ends = arrived + HOLD.get(person.level, 4) + 8
            deeds = [(moment, name) for moment, name in ((visit.acks, "ack"), (visit.sees, "seen")) if moment is not None]
            for moment, name in sorted(deeds):
                await asyncio.sleep(max(0, arrived + moment - time.monotonic()))
                if name == "ack":
                    session.send({"type": "ack", "seq": event["seq"]})
                else:
                    await session.ask("seen", ids=[event["notification"]["id"] if "notification" in event else event["id"]])
            await asyncio.sleep(max(0, ends - time.monotonic()))

    async def notify(self, person: Person) -> None:
        await self.ready.wait()
        body = json.dumps({"audience": f"user:{person.name}", "title": person.name, "level": person.level})
        peer = await Peer.open(self.server.port)
        peer.write((f"POST /v1/broadcasts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.server.admin}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
        status, _, answer = await peer.answer(60)
        peer.close()
        if status >= 300:
            raise Problem(f"a broadcast was answered with {status}: {answer}")


async def meet(server: Server, people: list[Person]) -> None:
    parties = len(people) + sum(len(person.visits) for person in people)
    game, slots = Play(server, people, asyncio.Barrier(parties)), asyncio.Semaphore(32)

    async def register(person: Person) -> None:
        async with slots:
            await game.register(person)

    await asyncio.gather(*(register(person) for person in people))
    await asyncio.gather(*(game.visit(person, visit) for person in people for visit in person.visits),
                         *(game.notify(person) for person in people))


def play(checks: verdict.Verdict, folder: Path) -> None:
    chance = random.Random(OPTIONS.seed)
    providers = Providers(folder)
    server = Server(OPTIONS.program, folder, providers.settings())
    server.start()
    print(f"seed {OPTIONS.seed}", flush=True)
    for number in range(OPTIONS.rounds):
        people = [Person.at_random(f"p{number}x{index}", chance) for index in range(OPTIONS.people)]
        asyncio.run(meet(server, people))
        devices = {device_token(person.name + device): (person, device) for person in people for device in person.devices}
        twice = 0
        for push in providers.pushes():
            person, device = devices[push["device"]]
            # What was shown and is seen later is taken back: that push shows nothing.
            if dict(push["headers"])["apns-push-type"] == "background":
                continue
            twice += device in person.pushed
            person.pushed.add(device)
        for person in people:
            checks.check(f"{person}: expected {sorted(person.expected())}", person.pushed == person.expected())
        if twice:
            checks.check(f"{twice} devices were pushed twice", False)
        pushed = sum(len(person.pushed) for person in people)
        skipped = sum(len(person.devices) for person in people) - pushed
        print(f"round {number + 1}: {pushed} devices pushed, {skipped} not", flush=True)
    checks.equal("the server ends with 0", server.stop(), 0)
    providers.stop()


if __name__ == "__main__":
    OPTIONS = arguments()
    sys.exit(verdict.run(play, verdict.Verdict(is_quiet=True), "push-decisions"))
