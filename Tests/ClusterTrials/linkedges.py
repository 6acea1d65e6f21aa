"""Links that fail while clients still reach the nodes: a machine's private link, and the one between two journal servers."""

import asyncio
import functools
import json
import time

import natsapi
from cluster_parts.processes import Problem, ask
from edge import Edge, seconds, watching
from faults import Fault, blocking

LINK_SECONDS = 60
DEAF_SECONDS = 40
#: A node without a proof takes nobody after 2 s; looks at it come four times a second.
UNPROVED_SECONDS = 3.5
#: It leads no more after 5 s.
LEADING_SECONDS = 7
#: Sessions get `bye` after 15 s, spread over 5 s.
BYE_SECONDS = (14, 24)
HEALED_SECONDS = 15
REVOKED_AFTER = 20
#: Servers that are deaf to each other may cost some leaders, until a node has tried another server: 13 s at most.
SETTLED_SECONDS = 25
TERMS_MOST = 8


class LinkEdges(Edge):
    def all(self):
        cut = [Fault(f"the private link of the {role}'s machine is cut {LINK_SECONDS} s, {state}",
                     functools.partial(self.cut_link, role, state == "idle"), 10, 25, cuts=True)
               for role in ("leader", "follower") for state in ("idle", "under load")]
        deaf = [Fault(f"two journal servers are deaf to each other {DEAF_SECONDS} s, {state}",
                      functools.partial(self.deafen_servers, state == "idle"), 13, 25, cuts=True)
                for state in ("idle", "under load")]
        return cut + deaf

    # MARK: A machine's private link

    async def cut_link(self, role, is_idle):
        node = await (self.leader() if role == "leader" else self.follower())
        other = self.others(node)[0]
        await self.lead_journal(self.machine_of(node), role == "leader")
        alice, bob, eve = self.people("alice", "bob", "eve")
        await alice.insist(other, type="follow", topic=f"user:{bob.name}")
        sessions = [await one.session(node) for one in (bob, eve)]
        try:
            async with self.quiet(is_idle):
                began = time.monotonic()
                self.part_machine(node)
                try:
                    async with watching(
                            ready=self.readiness(node), writes=self.readiness(node, "/readyz?for=writes"),
                            reads=self.reading(eve, node), figures=self.figures(node)) as watches:
                        await self.live_on(other, node, alice, bob)
                        await asyncio.sleep(max(0, began + LINK_SECONDS - time.monotonic()))
                finally:
                    self.network.heal()
                reading = asyncio.create_task(self.read_on(bob, node, time.monotonic()))
                back = await self.await_ready(node, 60)
                self.judge_cut(watches, sessions, began, back)
                self.judge_revoked(bob, node, await reading)
        finally:
            for session in sessions:
                await session.close()
        self.judge()

    async def lead_journal(self, server, is_there):
        """The stream is led by a server, or by another one: where its leader is cut off, it goes on to answer for a while."""
        wanted = server if is_there else next(other for other in self.cluster.servers if other is not server)
        for _ in range(10):
            if await self.journal_leader() is wanted:
                break
            await blocking(natsapi.lead, wanted)
            await asyncio.sleep(2)
        self.say(f"{(await self.journal_leader()).name} leads the journal, and {server.name} is at the machine")

    @staticmethod
    def reading(person, node):
        """A look at what a read with a token is answered."""
        async def look():
            return (await person.command(node, 3, type="following")).status
        return look

    async def live_on(self, other, node, alice, bob):
        """The others write on and revoke a user, who then gets nothing at the node that is cut off."""
        await asyncio.sleep(10)
        sent = await alice.command(other, type="send", to=bob.name, text="during the cut", key="during")
        self.expect(sent.is_ok and sent.seconds < 10,
                    f"10 s after the cut a write by node {other.name} was answered with {sent}")
        await asyncio.sleep(REVOKED_AFTER - 10)
        revoked = await self.operator.call(other, "POST", "/v1/revocations", {"user": bob.name, "reason": "left"})
        self.expect(revoked.status in (200, 201), f"the revocation by node {other.name} was answered with {revoked}")
        elsewhere = await bob.command(other, type="following")
        self.expect(elsewhere.status == 401, f"node {other.name} answers the revoked user with {elsewhere}")
        last = "a session began"
        for _ in range(3):
            await asyncio.sleep(5)
            read = await bob.command(node, 5, type="following")
            self.expect(read.status in (401, 503), f"the revoked user reads at the cut node: {read}")
            try:
                session = await bob.session(node, "new")
                await session.close()
                self.expect(False, f"the revoked user begins a session at the cut node, and is live at "
                                   f"{session.hello['ok']['seq']}")
            except Problem as problem:
                last = str(problem)
        self.say(f"the revoked user: elsewhere {elsewhere}, at the cut node {read}; {last}")

    def judge_cut(self, watches, sessions, began, back):
        for name, what in (("ready", "/readyz"), ("writes", "/readyz?for=writes"), ("reads", "a read with a token")):
            since = watches[name].since(lambda status: status == 503)
            self.say(f"{what} is 503 from {seconds(since)} on")
            self.expect(since is not None and since <= UNPROVED_SECONDS,
                        f"{what} is 503 from {seconds(since)} on, {UNPROVED_SECONDS} s are allowed")
        figures = watches["figures"]
        ends = figures.since(lambda one: one.get("journal_leading") != 1)
        self.expect(figures.samples[-1][1], "the cut node tells its figures to nobody")
        self.expect(ends is not None and ends <= LEADING_SECONDS, f"the cut node leads no more from {seconds(ends)} on")
        self.say(f"it leads no more from {seconds(ends)} on; its bots' sessions are gone after "
                 f"{seconds(figures.since(lambda one: one.get('sessions') == 0))}; it is ready {back:.1f} s after the "
                 f"cut is healed")
        for session in sessions:
            after = None if session.ended_at is None else session.ended_at - began
            said = f"bye {session.bye}, closed with {session.closed} after {seconds(after)}"
            self.say(f"the session of {session.person.name}: {said}")
            first, last = BYE_SECONDS
            self.expect(after is not None and 4503 in (session.bye, session.closed) and first <= after <= last,
                        f"a session at the cut node: {said}")
        self.expect(back <= HEALED_SECONDS, f"it is ready {back:.1f} s after the cut is healed, {HEALED_SECONDS} s "
                                            f"are allowed")

    async def read_on(self, bob, node, healed):
        """The answers that the revoked user gets from the moment of healing until some seconds after the first refusal for good:
        (second, status, status of /readyz). With the first answer a session is tried, too."""
        answers, end, look, session, is_tried = [], healed + 45, self.readiness(node), None, False
        while (now := time.monotonic()) < end:
            answer = await bob.command(node, 3, type="following")
            answers.append((now - healed, answer.status, await look()))
            # A node that is not ready refuses it, and then it is tried again.
            if answer.is_ok and answers[-1][2] == 200 and not is_tried:
                is_tried = True
                try:
                    session = await bob.session(node, "healed")
                except Problem as problem:
                    self.say(str(problem))
            if answer.status == 401:
                end = min(end, now + 3)
            await asyncio.sleep(0.02)
        if session is not None:
            self.expect(False, f"{bob.name} began a session then; it ended with bye {session.bye}, {session.closed}")
            await session.close()
        return answers

    def judge_revoked(self, bob, node, answers):
        """A node that is cut off no more must have read who was revoked before it answers anybody."""
        turns = [now for now, before in zip(answers, [(0, None, None), *answers]) if now[1:] != before[1:]]
        read = [at for at, status, _ in answers if status == 200]
        self.say("the revoked user after healing: "
                 + ", ".join(f"{status} from {at:.2f} s on (/readyz {ready})" for at, status, ready in turns))
        self.expect(not read, f"{bob.name}, revoked 40 s before, reads at node {node.name} from "
                              f"{seconds(min(read, default=None))} "
                    f"to {seconds(max(read, default=None))} after the cut is healed")
        self.expect(answers[-1][1] == 401, f"the revoked user is answered with {answers[-1][1]} at the end")

    # MARK: Deaf servers

    def homes(self):
        """The journal server to which each node is connected."""
        names, found = {self.network.host(node.name): node for node in self.cluster.nodes}, {}
        for server in self.cluster.servers:
            _, body = ask(server.host, server.monitor_port, "/connz", 2)
            for connection in json.loads(body)["connections"]:
                if connection["ip"] in names:
                    found[names[connection["ip"]]] = server
        return found

    async def distant_pair(self):
        """The leader and another node that are at different servers; by their starts they come to any."""
        for _ in range(12):
            leader = await self.leader()
            homes = await blocking(self.homes)
            other = next((node for node in self.others(leader) if homes.get(node) not in (None, homes.get(leader))),
                         None)
            if other is not None and leader in homes:
                return leader, other, homes[leader], homes[other]
            follower = self.others(leader)[0]
            await blocking(follower.stop)
            follower.start()
            await self.await_ready(follower, 60)
        raise Problem("all nodes come to the same journal server")

    async def deafen_servers(self, is_idle):
        leader, other, one, two = await self.distant_pair()
        before = max(term for term, _ in (await self.roles()()).values())
        self.say(f"{one.name} of the leader {leader.name} and {two.name} of {other.name} do not hear each other")
        ready = {f"ready_{node.name}": self.readiness(node, "/readyz?for=writes") for node in self.cluster.nodes}
        async with self.quiet(is_idle):
            self.network.part([one.number], [two.number])
            try:
                async with watching(roles=self.roles(), **ready) as watches:
                    await asyncio.sleep(DEAF_SECONDS)
            finally:
                self.network.heal()
            for node in self.cluster.nodes:
                await self.await_ready(node, 60)
        self.judge_deaf(watches, before)
        self.judge()

    def judge_deaf(self, watches, before):
        roles = watches.pop("roles")
        newest = max(term for term, _ in roles.samples[-1][1].values())
        settled = roles.since(lambda seen: max(term for term, _ in seen.values()) == newest)
        alone = roles.since(lambda seen: [leads for _, leads in seen.values()].count(True) == 1)
        self.say(f"terms {before} to {newest}, the last one from {seconds(settled)} on; one node leads from "
                 f"{seconds(alone)} on")
        self.expect(newest - before <= TERMS_MOST, f"the term rose from {before} to {newest} in {DEAF_SECONDS} s")
        self.expect(settled is not None and settled <= SETTLED_SECONDS,
                    f"the last leader led from {seconds(settled)} on")
        self.expect(alone is not None and alone <= SETTLED_SECONDS, f"one node alone leads from {seconds(alone)} on")
        for name, watch in watches.items():
            since = watch.since(lambda status: status == 200)
            self.say(f"node {name[-1]} is ready for writes from {seconds(since)} on")
            self.expect(since is not None and since <= SETTLED_SECONDS,
                        f"node {name[-1]} is ready for writes from {seconds(since)} on")
