"""Nodes that lack what the others have: one that is late, and one with another secret."""

import asyncio
import contextlib
import pathlib
import subprocess
import sys
import time

from cluster_parts.processes import Problem
from edge import Edge, watching
from faults import Fault, blocking
from Trials import tokens

LATE_SECONDS = 13
#: A node that is later than 5 s refuses requests with a token.
REFUSING_SECONDS = 8
#: Takes the write lock of a database, and keeps it.
HOLD = ("import sqlite3, sys, time; held = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=5); "
        "held.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(float(sys.argv[2]))")


class MemberEdges(Edge):
    def all(self):
        return [Fault(f"a follower is late {LATE_SECONDS} s, and a user is revoked", self.late_node, 2, 8),
                Fault("a follower comes back with another secret", self.other_secret, 0.5, 5)]

    # MARK: A late node and a revoked user

    async def late_node(self):
        """Another process holds the write lock of a follower's database, as a slow disk would."""
        leader, slow = await self.leader(), await self.follower()
        alice, bob, carol = self.people("alice", "bob", "carol")
        for one, two in ((alice, bob), (bob, alice)):
            await one.insist(leader, type="follow", topic=f"user:{two.name}")
        await bob.insist(slow, type="send", to=alice.name, text="before", key="before")
        session = await bob.session(slow)
        hold = subprocess.Popen([sys.executable, "-c", HOLD, f"{slow.folder}/watchwise.db", str(LATE_SECONDS)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            await blocking(hold.stdout.readline)
            await self.forbid(leader, bob, carol)
            asked = await self.ask_on(slow, session, alice, bob, carol)
            await blocking(hold.wait)
        finally:
            hold.kill()
            hold.wait()
            await session.close()
        await self.await_ready(slow, 40)
        self.judge_asked(asked)
        for person in (bob, carol):
            answer = await person.command(slow, type="follow", topic="movie:after")
            self.expect(answer.status in (401, 403),
                        f"{person.name} is answered with {answer} when the node has read on")
        await self.judge_effects(leader, alice, bob, carol)
        self.judge()

    async def forbid(self, leader, bob, carol):
        revoked = await self.operator.call(leader, "POST", "/v1/revocations", {"user": bob.name, "reason": "left"})
        banned = await self.operator.call(leader, "PUT", f"/v1/users/{carol.name}/restrictions",
                                          {"kind": "ban", "reason": "spam"})
        if revoked.status not in (200, 201) or banned.status not in (200, 201):
            raise Problem(f"the revocation was answered with {revoked}, the ban with {banned}")

    async def ask_on(self, slow, session, alice, bob, carol):
        """Sends as revoked and banned users by the slow node until it reads on: (second, what, answer)."""
        asked, began, pending = [], time.monotonic(), []
        ways = {"bob sends": lambda n: bob.command(slow, type="send", to=alice.name, text=f"revoked {n}", key=f"r{n}"),
                "carol follows": lambda n: carol.command(slow, type="follow", topic=f"movie:c{n}"),
                "bob sends by his session": lambda n: session.ask(type="send", to=alice.name, text=f"session {n}",
                                                                  key=f"s{n}"),
                "bob reads": lambda n: bob.command(slow, type="following")}

        async def note(at, what, work):
            asked.append((at, what, await work))

        number = 0
        while (at := time.monotonic() - began) < LATE_SECONDS - 1:
            number += 1
            pending += [asyncio.create_task(note(at, what, way(number))) for what, way in ways.items()]
            await asyncio.sleep(0.7)
        await asyncio.gather(*pending)
        return asked

    def judge_asked(self, asked):
        for what in dict.fromkeys(what for _, what, _ in asked):
            answers = [(at, answer) for at, name, answer in asked if name == what]
            kinds = {}
            for at, answer in sorted(answers, key=lambda pair: pair[0]):
                kinds.setdefault(f"{answer.status} {'ok' if answer.is_ok else answer.code}", []).append(f"{at:.0f}")
            self.say(f"{what}: " + "; ".join(f"{kind} at {', '.join(times)} s" for kind, times in kinds.items()))
            if what != "bob reads":
                done = [f"{at:.1f}" for at, answer in answers if answer.is_ok]
                self.expect(not done, f"{what} by the slow node, asked {', '.join(done)} s after the revocation: ok")
            if "session" not in what:
                late = [f"{at:.1f} s: {answer}" for at, answer in answers
                        if at > REFUSING_SECONDS and answer.status not in (401, 403, 503)]
                self.expect(not late, f"{what} is not refused past the lag: {late}")

    async def judge_effects(self, leader, alice, bob, carol):
        texts = [one.get("text") for one in (await alice.insist(
            leader, type="history", chat=":".join(sorted((alice.name, bob.name)))))["messages"]]
        self.expect(texts == ["before"], f"the history has {texts}")
        topics = await self.operator.call(leader, "GET", f"/v1/users/{carol.name}/topics")
        self.expect("movie:" not in str(topics.value), f"the banned user follows {topics.value}")

    # MARK: Another secret

    async def other_secret(self):
        """Such a node takes no part: it is not ready, refuses its own tokens, too, and disturbs nobody."""
        node = await self.follower()
        await blocking(node.stop)
        path = pathlib.Path(node.folder, "secret")
        right = path.read_text()
        path.write_text("5a" * (len(right.split()[0]) // 2) + "\n")
        token = tokens.sign(node.folder, "alice")
        size = node.log.stat().st_size
        try:
            node.start()
            ready = {f"ready_{other.name}": self.readiness(other) for other in self.others(node)}
            async with watching(own=self.readiness(node), read=self.reading(node, token), **ready) as watches:
                await asyncio.sleep(12)
        finally:
            with contextlib.suppress(Problem):
                await blocking(node.stop)
            path.write_text(right)
            node.start()
        self.judge_secret(node, watches, size)
        self.judge()

    def reading(self, node, token):
        person = self.person("alice")
        person.token = token

        async def look():
            return (await person.command(node, 3, type="following")).status
        return look

    def judge_secret(self, node, watches, size):
        for name, what in (("own", "/readyz"), ("read", "a read with a token of its secret")):
            seen = {status for at, status in watches.pop(name).samples if at > 2}
            self.say(f"{what} of node {node.name} with another secret: {sorted(seen)}")
            # 0 where the process has ended.
            self.expect(seen <= {0, 503} and seen, f"{what} of the node with another secret is {sorted(seen)}")
        for name, watch in watches.items():
            self.expect({status for _, status in watch.samples} == {200},
                        f"node {name[-1]} is not ready beside the node with another secret")
        said = self.said(node, "secret", size)
        self.say(f"it says: {said[-1][-230:] if said else 'nothing of its secret'}")
        self.expect(said, "the node says nothing of its secret")
