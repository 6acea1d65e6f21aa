"""A leader that was deposed while it was idle, and does not know it: commands without a key are never `ok` without effect."""

import asyncio
import http.client
import json
import time

from cluster_parts.processes import Problem
from edge import Edge
from faults import Fault, blocking
from people import Answer

ROUNDS = 6
#: Others lead 2 s after the last sign of a leader.
FROZEN_SECONDS = 3.5
ASKED_SECONDS = (0, 3, 7, 12)


class OldLeaderEdges(Edge):
    def all(self):
        return [Fault(f"an idle leader is frozen and deposed, commands wait, {ROUNDS} times", self.freeze, 5, 15),
                Fault("an idle leader is cut off and deposed, and is asked", self.cut_off, 10, 25, cuts=True)]

    async def do(self, node, marks, alice, bob):
        """By another node, for each mark: bob follows a topic, and alice blocks somebody. An old leader goes on to see it."""
        for mark in marks:
            await bob.insist(node, type="follow", topic=f"person:{mark}")
            await alice.insist(node, type="block", user=f"{alice.name}-{mark}")

    async def undo(self, node, marks, alice, bob):
        for mark in marks:
            await bob.insist(node, type="unfollow", topic=f"person:{mark}")
            await alice.insist(node, type="unblock", user=f"{alice.name}-{mark}")

    @staticmethod
    def commands(alice, mark):
        """The commands that do it again, without a key: bob's and alice's."""
        return {"type": "follow", "topic": f"person:{mark}"}, {"type": "block", "user": f"{alice.name}-{mark}"}

    async def judge_truth(self, alice, bob, answers):
        """Whether each `ok` has its effect. `answers` of the old leader are by (follow or block, mark)."""
        leader = await self.leader()
        truth = {"follow": {topic.removeprefix("person:") for topic in await bob.follows(leader)},
                 "block": {user.removeprefix(f"{alice.name}-") for user in await alice.blocks(leader)}}
        kinds = {}
        for (what, mark), answer in answers.items():
            effect = "done" if mark in truth[what] else "not done"
            kinds.setdefault(f"{answer.status} {'ok' if answer.is_ok else answer.code}, {effect}",
                             []).append(f"{what} {mark}")
            self.expect(not answer.is_ok or mark in truth[what],
                        f"{what} {mark} was answered with ok, and has no effect")
        self.say("; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items()))

    # MARK: Frozen

    async def freeze(self):
        """Requests wait in the sockets of a frozen leader, and are read when others lead."""
        async with self.quiet(True):
            for number in range(ROUNDS):
                await self.freeze_once(number)
        self.judge()

    async def freeze_once(self, number):
        leader = await self.leader()
        other, marks = self.others(leader)[0], [f"{way}{number}" for way in ("http", "session")]
        alice, bob = self.people("alice", "bob")
        await self.do(other, marks, alice, bob)
        await asyncio.sleep(1.5)
        sessions = [await person.session(leader) for person in (bob, alice)]
        waiting = [WaitingRequest(leader, person) for person in (bob, alice)]
        answers, tasks = {}, []
        try:
            leader.freeze()
            try:
                await asyncio.sleep(FROZEN_SECONDS)
                await self.undo(other, marks, alice, bob)
                for request, command in zip(waiting, self.commands(alice, marks[0])):
                    request.send(command)
                for session, command in zip(sessions, self.commands(alice, marks[1])):
                    tasks.append(await session.begin(**command))
            finally:
                leader.thaw()
            for what, request, task in zip(("follow", "block"), waiting, tasks):
                answers[what, marks[0]] = await blocking(request.receive)
                answers[what, marks[1]] = await task
            for node in self.cluster.nodes:
                await self.await_ready(node, 40)
            await self.judge_truth(alice, bob, answers)
        finally:
            for request in waiting:
                request.close()
            for session in sessions:
                await session.close()

    # MARK: Cut off

    async def cut_off(self):
        leader = await self.leader()
        other, marks = self.others(leader)[0], [f"{way}{at}" for at in ASKED_SECONDS for way in ("http", "session")]
        alice, bob = self.people("alice", "bob")
        await self.do(other, marks, alice, bob)
        sessions = [await person.session(leader) for person in (bob, alice)]
        try:
            async with self.quiet(True):
                await asyncio.sleep(1.5)
                self.part_machine(leader)
                try:
                    answers = await self.ask_deposed(leader, other, marks, alice, bob, sessions)
                finally:
                    self.network.heal()
                for node in self.cluster.nodes:
                    await self.await_ready(node, 60)
                await self.judge_truth(alice, bob, answers)
        finally:
            for session in sessions:
                await session.close()
        self.judge()

    async def ask_deposed(self, leader, other, marks, alice, bob, sessions):
        began = time.monotonic()
        while not any(leads and name != leader.name for name, (_, leads) in (await self.roles()()).items()):
            if time.monotonic() > began + 30:
                raise Problem("no other node leads 30 s after the machine of the leader was cut off")
            await asyncio.sleep(0.1)
        led = time.monotonic()
        await self.undo(other, marks, alice, bob)
        self.say(f"another node leads after {led - began:.1f} s; everything is undone {time.monotonic() - led:.1f} s "
                 f"later")
        answers, tasks = {}, []

        async def keep(name, work):
            answers[name] = await work

        for at in ASKED_SECONDS:
            await asyncio.sleep(max(0, led + at - time.monotonic()))
            # A command by the session may wait for its answer until it is refused.
            for what, person, session, alone, by_session in zip(("follow", "block"), (bob, alice), sessions,
                                                                self.commands(alice, f"http{at}"),
                                                               self.commands(alice, f"session{at}")):
                tasks += [asyncio.create_task(keep((what, f"http{at}"), person.command(leader, **alone))),
                          asyncio.create_task(keep((what, f"session{at}"), session.ask(**by_session)))]
        await asyncio.gather(*tasks)
        return answers


class WaitingRequest:
    """A request on a connection that was open before its server was frozen."""

    def __init__(self, node, person):
        self.person = person
        self.connection = http.client.HTTPConnection(node.host, node.port, timeout=20)
        self.connection.connect()

    def send(self, command):
        self.began = time.monotonic()
        self.connection.request("POST", "/v1/commands", json.dumps(command),
                                {"Authorization": f"Bearer {self.person.token}"})

    def receive(self):
        try:
            answer = self.connection.getresponse()
            return Answer(answer.status, json.loads(answer.read() or b"{}"), time.monotonic() - self.began)
        except (OSError, ValueError, http.client.HTTPException) as error:
            return Answer(0, {"code": type(error).__name__}, time.monotonic() - self.began)

    def close(self):
        self.connection.close()
