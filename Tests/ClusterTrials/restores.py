"""Restored backups and journals that are made again, while one node is away: all clients fetch their state again."""

import asyncio
import time

import natsapi
from cluster_parts.processes import Problem
from edge import seconds
from faults import blocking
from owncase import OwnCase


class RestoreCase(OwnCase):
    """The page "Restore a cluster from a backup", with a node that is away all the time."""

    name, word = "a backup is restored while a node is away", "restore"

    @classmethod
    def all(cls):
        return [cls(), UnheardCase(), EndedCase()]

    async def course(self):
        first, second, away = self.first, self.second, self.away
        backup = self.folder / "before.db"

        async def back_up():
            await self.operator.call(first, "PUT", "/v1/documents/films/1", {"name": "before"})
            await self.run(first, "backup", backup, "--server", first.url, "--token", self.operator.token,
                           "--insecure-http")
            await self.operator.call(first, "PUT", "/v1/documents/films/2", {"name": "after"})

        cursors = await self.play_bots(back_up, 4)
        old = await self.epoch(first)
        for node in self.cluster.nodes:
            await blocking(node.stop)
        await self.run(first, "restore", backup, "--force", "--data", first.folder)
        # An older program has no such option, and its operator deletes the stream.
        try:
            await self.run(first, "cluster", "reseed", "--delete-journal", "--from", first.folder)
        except Problem as problem:
            self.expect(False, str(problem))
            await blocking(natsapi.journal, self.cluster.servers[0], "DELETE")
            await self.run(first, "cluster", "reseed", "--from", first.folder)
        await self.started(first)
        await self.renew(second)
        await self.judge_epoch(old, cursors)
        is_ready, served, said = await self.returns(away)
        if not is_ready:
            # It serves nobody from a history that has ended, and says so; then the page's last lines help.
            reads = sorted({read for at, read, _ in served if at > 3})
            self.expect(set(reads) <= {0, 503}, f"a read at the node that takes no part is answered with {reads}")
            self.expect(any("mpty" in line or "join" in line for line in said),
                        "the node that returns does not say what to do")
            await self.renew(away)
        await self.judge_equal()

    async def judge_epoch(self, old, cursors):
        new = await self.epoch(self.first)
        self.say(f"the epoch was {old} and is {new}")
        self.expect(new != old, "the epoch stays, although positions are gone")
        documents = [(await self.operator.call(self.second, "GET", f"/v1/documents/films/{n}")).status for n in (1, 2)]
        self.expect(documents == [200, 404], f"the documents from before and after the backup: {documents}")
        resets, epochs = await self.resumes(self.second, cursors, "at once")
        self.expect(resets == len(cursors) and old not in epochs,
                    f"{resets} of {len(cursors)} devices were reset, to {epochs}")
        # The new history goes on beyond the positions that the devices have seen.
        for number in range(max(cursor["seq"] for _, _, cursor in cursors)):
            await self.operator.call(self.first, "PUT", f"/v1/documents/tasks/new{number}",
                                     {"to": "u0", "n": f"new{number}"})
        resets, epochs = await self.resumes(self.first,
                                            [(user, f"{name}-late", cursor) for user, name, cursor in cursors],
                                            "after a while")
        self.expect(resets == len(cursors) and old not in epochs,
                    f"{resets} of {len(cursors)} devices that slept longer were reset, to {epochs}")


class UnheardCase(RestoreCase):
    """The journal is lost while a node is away. Who says how many nodes there are keeps the epoch, if all are heard."""

    name, word = "a journal is made again while a node is away", "reseed"

    async def course(self):
        first, second, away = self.first, self.second, self.away

        async def leave():
            away.kill()

        cursors = await self.play_bots(leave, 3)
        old = await self.epoch(first)
        await self.lose_journal()
        await self.reseed("--nodes", "2")
        kept = await self.epoch(first)
        self.say(f"with --nodes 2 and both heard, the epoch was {old} and is {kept}")
        self.expect(kept == old, "the epoch is a new one, although all nodes were heard")
        resets, _ = await self.resumes(second, cursors, "--nodes 2")
        self.expect(resets == 0, f"{resets} devices were reset")
        await self.lose_journal()
        await self.reseed("--nodes", "3")
        new = await self.epoch(first)
        self.say(f"with --nodes 3 and one away, it is {new}")
        self.expect(new != old, "the epoch stays, although a node was not heard, which may have more")
        resets, epochs = await self.resumes(second, cursors, "--nodes 3")
        self.expect(resets == len(cursors) and old not in epochs,
                    f"{resets} of {len(cursors)} devices were reset, to {epochs}")
        is_ready, _, said = await self.returns(away)
        # Its epoch has ended: it joins by itself, or says how it does.
        if not is_ready:
            self.expect(any("mpty" in line for line in said), "the node that returns does not say what to do")
            await self.renew(away)
        await self.judge_equal()

    async def lose_journal(self):
        await blocking(natsapi.journal, self.cluster.servers[0], "DELETE")
        began = time.monotonic()
        while await self.ready(self.first, "/readyz?for=writes") != 503 and time.monotonic() < began + 20:
            await asyncio.sleep(0.1)
        self.say(f"the stream is deleted; node {self.first.name} says that writes wait after "
                 f"{seconds(time.monotonic() - began)}")

    async def make_journal(self, *more):
        """An older program does not know how many nodes there are; what it does then is shown, too."""
        words = ("cluster", "reseed", "--from", self.first.folder)
        try:
            return await self.run(self.first, *words, *more)
        except Problem as problem:
            self.expect(False, str(problem)[:120])
            return await self.run(self.first, *words)

    async def reseed(self, *more):
        """The furthest of the two nodes is stopped; the other one runs, and is heard. Then both start as the command says."""
        first, second = self.first, self.second
        await blocking(first.stop)
        said = await self.make_journal(*more)
        await self.started(first)
        await blocking(second.stop)
        size = second.log.stat().st_size
        try:
            await self.started(second)
        except Problem:
            told = self.lines(second, size)[-1]
            self.say(f"node {second.name} ended with {second.process.returncode}: {told[-130:]}")
            self.expect("mpty" in told, f"node {second.name} does not say how it joins: {told}")
            self.expect("mpt" in said, f"reseed says that the others need only be started, and node {second.name}, "
                                       f"which it heard, "
                        f"does not start with its folder: {told[-130:]}")
            await self.renew(second)


class EndedCase(UnheardCase):
    """A node that has entries which the journal made again does not have: the operator named too few nodes."""

    name, word = "a node comes back with a history that has ended", "ended"

    async def course(self):
        first, second, away = self.first, self.second, self.away

        async def leave():
            for node in (second, first):
                node.kill()
            await asyncio.sleep(6)

        await self.play_bots(leave, 3, rests=False)
        await blocking(away.stop)
        await blocking(natsapi.journal, self.cluster.servers[0], "DELETE")
        await self.make_journal("--nodes", "1")
        await self.started(first)
        await self.renew(second)
        for number in range(600):
            await self.operator.call(first, "PUT", f"/v1/documents/ended/d{number}", {"n": number})
        is_ready, served, said = await self.returns(away)
        self.expect(not is_ready, "the node with a history that has ended is ready")
        self.expect(any("takes no part any more" in line for line in said),
                    "it does not say that it takes no part any more")
        late = [(read, ready) for at, read, ready in served if at > 5]
        self.expect(late and set(late) <= {(503, 503), (0, 0)},
                    f"a read and /readyz of the node that takes no part: {sorted(set(late))}")
        await self.renew(away)
        await self.judge_equal()
