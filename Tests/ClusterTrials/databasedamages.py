"""Bits of rows and pages of a node's database, and its log file cut short."""

import asyncio
import sqlite3

import blocks
from cluster_parts.processes import Problem, ask
from faults import blocking
from repairs import Repairs


class DatabaseDamages(Repairs):
    async def damaged_database(self, node, work):
        """Stops a node with SIGTERM, so that everything is in its file, and damages that."""
        self.trial.held.add(node)
        try:
            await blocking(node.stop)
            self.note(f"node {node.name}: {work(node.folder / 'watchwise.db')}")
        finally:
            node.start()
            self.trial.held.discard(node)
        await asyncio.sleep(5)
        await self.look_after(node)

    async def look_after(self, node):
        """Does what an operator does each night, and after it: verify; a node that differs joins with an empty folder."""
        try:
            status, body = await blocking(ask, node.host, node.port, "/readyz")
            self.note(f"node {node.name} says {status} {body.decode()[:200].strip()}")
        except OSError as problem:
            self.note(f"node {node.name} does not answer ({node.state}): {problem}")
        problem, _ = await blocking(self.cluster.verify)
        self.note(f"verify: {problem or 'equal'}")
        if problem is None:
            return

        async def empty():
            for file in node.folder.glob("watchwise.db*"):
                file.unlink()
            self.note(f"the database of node {node.name} was removed: it joins as new")
        await self.down(node, empty)

    async def bit_of_row(self):
        await self.damaged_database(await self.follower(), self.flip_row)

    async def bit_of_leaders_row(self):
        await self.damaged_database(await blocking(self.cluster.await_leader), self.flip_row)

    def flip_row(self, path):
        """A letter of a message's text is another one."""
        writer = self.trial.world.writers[0]
        text = writer.sent[len(writer.answers) // 2].encode()
        data = path.read_bytes()
        place = data.find(text)
        if place < 0:
            raise Problem(f"'{text.decode()}' is not in {path}")
        blocks.flip(path, place + 1, 0)
        return f"a letter of '{text.decode()}' at {place}"

    async def bit_of_page(self):
        def work(path):
            with sqlite3.connect(path) as database:
                size = database.execute("PRAGMA page_size").fetchone()[0]
                # Of the log, which every node reads: a page that nothing reads would stay damaged.
                root = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'changes'").fetchone()
            # The kind of the page is its first byte.
            blocks.flip(path, (root[0] - 1) * size, 1)
            return f"the kind of page {root[0]}"
        await self.damaged_database(await self.follower(), work)

    async def short_wal(self):
        node = await self.follower()

        async def work():
            wal = node.folder / "watchwise.db-wal"
            self.note(f"node {node.name}: {blocks.cut(wal, self.chance.uniform(0.2, 0.8))}")
        await self.down(node, work)
        await asyncio.sleep(5)
        await self.look_after(node)
