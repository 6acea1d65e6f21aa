"""Nodes that are not well themselves: a disk that stands still, and a wrong clock."""

import asyncio
import functools
import time

from cluster_parts.processes import Problem
from edge import Edge, seconds, watching
from faults import Fault, blocking

STUCK_SECONDS = 40
#: A commit that stands for 6 s ends leading, and another node leads 1.5 s later.
OTHER_LEADS_SECONDS = 10
#: A commit that stands for 5 s makes a node not ready.
NOT_READY_SECONDS = 7
CLOCK_SECONDS = 120


class NodeEdges(Edge):
    def all(self):
        disks = [Fault(f"{what} of the leader stand still {STUCK_SECONDS} s",
                       functools.partial(self.stand_still, kinds), 8.5, 12)
                 for what, kinds in (("writes and flushes", ("write", "sync", "truncate")), ("flushes", ("sync",)))]
        clocks = [Fault(f"the clock of a {role} is two minutes {word}",
                        functools.partial(self.wrong_clock, role, shift), 2, limit)
                  for word, shift in (("behind", -CLOCK_SECONDS), ("ahead", CLOCK_SECONDS))
                  for role, limit in (("node that comes back", 8), ("leader that runs", 12))]
        return disks + clocks

    # MARK: A disk that stands still

    async def stand_still(self, kinds):
        leader = await self.leader()
        control, end = self.trial.controls[leader.name], time.monotonic() + STUCK_SECONDS
        others = self.others(leader)
        ready = {f"ready_{node.name}": self.readiness(node, "/readyz?for=writes") for node in others}
        filling = asyncio.create_task(self.fill(others, end))
        try:
            async with watching(stuck=self.readiness(leader), roles=self.roles(), **ready) as watches:
                while time.monotonic() < end:
                    # Each call ends at the same moment, whenever it begins.
                    for kind in kinds:
                        control.slow(kind, max(0, end - time.monotonic()))
                    await asyncio.sleep(0.1)
        finally:
            control.clear()
            filling.cancel()
            await asyncio.gather(filling, return_exceptions=True)
        self.judge_standing(leader, watches, "write" in kinds)
        self.judge()

    async def fill(self, nodes, end):
        """Writes so much that the log of the database is full: only then does a member wait for a flush."""
        number = 0
        while time.monotonic() < end:
            number += 1
            await self.operator.call(nodes[number % len(nodes)], "PUT", f"/v1/documents/large/d{number % 400}",
                                     {"text": f"{number} " + "x" * 40_000})

    def judge_standing(self, leader, watches, must_stand):
        roles, stuck = watches.pop("roles"), watches.pop("stuck")
        away = stuck.first(lambda status: status == 503)
        led = roles.first(lambda seen: any(leads and name != leader.name for name, (_, leads) in seen.items()))
        self.say(f"node {leader.name} is not ready from {seconds(away)} on; another one leads from {seconds(led)} on")
        if must_stand or away is not None:
            began = 0 if must_stand else away - 5
            self.expect(away is not None and away - began <= NOT_READY_SECONDS,
                        f"the stuck node is not ready from {seconds(away)} on")
            self.expect(led is not None and led - began <= OTHER_LEADS_SECONDS,
                        f"another node leads from {seconds(led)} on")
            back = None if away is None else next((at for at, status in stuck.samples if at > away and status == 200),
                                                  None)
            self.expect(back is None or back > STUCK_SECONDS - 1,
                        f"the stuck node says that it is ready again after {seconds(back)}")
        for name, watch in watches.items():
            last = watch.between(STUCK_SECONDS - 15, STUCK_SECONDS)
            self.expect(set(last) == {200}, f"node {name[-1]} is not ready for writes while the stuck one stands: "
                                            f"{last[-5:]}")

    # MARK: A wrong clock

    async def wrong_clock(self, role, shift):
        """The leading node starts again with it, as a machine that comes back, or its clock jumps. Then another leader is lost."""
        node = await self.leader()
        clock, size = self.trial.clocks[node.name], node.log.stat().st_size
        alice, bob = self.people("alice", "bob")
        await alice.insist(node, type="follow", topic=f"user:{bob.name}")
        if role == "leader that runs":
            clock.set(shift)
        else:
            await blocking(node.stop)
            clock.set(shift)
            node.start()
        try:
            ready = await self.await_ready(node, 60)
            self.say(f"node {node.name} is ready for writes {ready:.1f} s after its clock is {shift:+d} s wrong")
            await asyncio.sleep(3)
            await self.serves(node, alice, bob, "wrong")
            await asyncio.sleep(20)
            await self.serves(node, alice, bob, "later")
            leader = await self.leader()
            self.expect(leader is not node, f"node {node.name} leads with a wrong clock")
            await self.gone([leader], 5)
            await self.await_ready(leader, 40)
            self.expect((await self.leader()) is not node,
                        f"node {node.name} leads with a wrong clock after the leader was killed")
            await self.serves(node, alice, bob, "another")
        finally:
            clock.set(0)
        said = self.said(node, "clock", size)
        self.say(f"node {node.name} says: {said[0][-150:] if said else 'nothing of its clock'}")
        await asyncio.sleep(2)
        await self.serves(node, alice, bob, "right")
        self.judge()

    async def serves(self, node, alice, bob, mark):
        """A node's clients read and write, by HTTP and by WebSocket, with a key and without one."""
        operator, session = self.operator, None
        answers = {"follow by HTTP": await alice.command(node, type="follow", topic=f"movie:{mark}"),
                   "a document": await operator.call(node, "PUT", f"/v1/documents/clocks/{alice.name}-{mark}",
                                                     {"v": 1}),
                   "a document with a key": await operator.call(
                       node, "PUT", f"/v1/documents/clocks/{alice.name}-{mark}-key", {"v": 1},
                       **{"Idempotency-Key": f"{alice.name}{mark}"})}
        try:
            session = await alice.session(node)
            answers["send by WebSocket"] = await session.ask(type="send", to=bob.name, text=mark, key=mark)
            answers["follow by WebSocket"] = await session.ask(type="follow", topic=f"person:{mark}")
            answers["read by WebSocket"] = await session.ask(type="following")
        except Problem as problem:
            self.expect(False, str(problem))
        finally:
            if session:
                await session.close()
        slowest = max(answers.values(), key=lambda answer: answer.seconds)
        bad = {name: str(answer) for name, answer in answers.items()
               if answer.status not in (200, 201) or answer.seconds > 8}
        self.say(f"clock {mark}: {len(answers) - len(bad)} of {len(answers)} asked of node {node.name} are ok, the "
                 f"slowest took {slowest.seconds:.1f} s")
        self.expect(not bad, f"node {node.name}, clock {mark}: {bad}")
