"""The damages: each does something to files or to the stream, and says what it did. The trial waits for calm afterwards."""

import asyncio
import base64
import shutil
import sqlite3
import subprocess

import blocks
import natsapi
from cluster_parts.processes import Problem, ask
from faults import Fault, blocking


class Damages:
    def __init__(self, trial):
        self.trial, self.cluster, self.chance = trial, trial.cluster, trial.chance

    def all(self):
        """Where NATS or the nodes can mend it by themselves, writes stand for an election at most; else until the nodes are
        sure (15 s), and an operator has made the journal again."""
        by_itself, by_hand = 35, 120
        return [
            Fault("a bit of an entry, on the journal's leader", self.bit_on_leader, 10, by_itself),
            Fault("a bit of an entry, on a journal follower", self.bit_on_follower, 10, by_itself),
            Fault("a bit of an old entry, on the journal's leader", self.old_bit_on_leader, 10, by_itself),
            Fault("a bit of an old entry, on two servers", self.old_bit_on_two, 10, by_itself),
            Fault("a bit of an old entry's length, on two servers", self.old_length_on_two, 10, by_hand),
            Fault("a bit of an entry, on two servers", self.bit_on_two, 10, by_hand),
            Fault("a bit of an entry's length, on a journal follower", self.length_on_follower, 10, by_hand),
            Fault("a bit of an entry's length, on the journal's leader", self.length_on_leader, 10, by_hand),
            Fault("a bit of an entry's length, on two servers", self.length_on_two, 30, by_hand),
            Fault("a bit of the stream's Raft log", self.bit_of_raft, 10, by_hand),
            Fault("the Raft snapshot of the stream cut short", self.short_snapshot, 10, by_hand),
            Fault("the Raft snapshot of all streams cut short", self.short_meta_snapshot, 10, by_hand),
            Fault("the stream's index and description cut short", self.short_files, 10, by_hand),
            Fault("a server's folder emptied", self.empty_one, 10, by_itself),
            Fault("the folder of the journal's leader emptied", self.empty_leader, 10, by_itself),
            Fault("an entry is deleted by hand", self.delete_entry, 1, by_itself),
            Fault("the stream is purged while a node is away", self.purge, 1, by_itself),
            Fault("the stream is full while a node is frozen", self.full_stream, 1, by_itself),
            Fault("the stream is deleted", self.delete_stream, 30, by_hand),
            Fault("the stream is deleted and made again by hand", self.remake_stream, 40, by_hand),
            Fault("all folders of the journal emptied", self.empty_all, 30, by_hand),
            Fault("a bit of a row in a node's database", self.bit_of_row, 1, by_itself),
            Fault("a bit of a page's head in a node's database", self.bit_of_page, 1, by_itself),
            Fault("a bit of a row in the leading node's database", self.bit_of_leaders_row, 5, by_itself),
            Fault("a node's log file cut short", self.short_wal, 1, by_itself),
        ]

    # MARK: Members

    def note(self, text):
        self.trial.note(text)

    async def follower(self):
        leader = await blocking(self.cluster.await_leader)
        return self.chance.choice([node for node in self.cluster.nodes if node is not leader])

    async def servers(self):
        """The server that leads the stream, and the two others."""
        leader = await blocking(self.cluster.journal_leader)
        others = [server for server in self.cluster.servers if server is not leader]
        self.chance.shuffle(others)
        return leader, others

    async def down(self, node, work):
        """Does something while a node is down."""
        self.trial.held.add(node)
        try:
            if node.is_running:
                node.kill()
            return await work() if work else None
        finally:
            node.start()
            self.trial.held.discard(node)

    async def stopped(self, servers, work):
        """Does something to the files of servers that are stopped for it, one after the other, as an operator does it."""
        for server in servers:
            server.stop()
            self.note(f"{server.name}: {work(server)}")
            server.start()
            await self.await_server(server)

    async def await_server(self, server, seconds=20):
        """Until a server has as much of the stream as the others. One that does not come to that by itself gets an empty
        folder, as an operator gives it."""
        if await self.has_caught_up(server, seconds):
            return
        said = server.last_words(1) if not server.is_running else f"it shows {server.facts()}"
        self.note(f"{server.name} ({server.state}) has no whole copy of the stream after {seconds} s: {said}")
        for line in await blocking(self.check):
            self.note(f"watchwise cluster check: {line}")
        await self.renew(server)

    async def renew(self, server):
        """Gives a server an empty folder, which the stream's leader fills. It cannot, if its own copy is damaged: then another
        server must lead."""
        if server.is_running:
            server.kill()
        shutil.rmtree(server.folder, ignore_errors=True)
        server.start()
        if await self.has_caught_up(server, 20):
            return self.note(f"{server.name} with an empty folder has all again")
        self.note(f"{server.name} with an empty folder does not come further than {server.facts()}")
        leader, others = await self.servers()
        await self.lead_stream(next(other for other in others if other is not server))
        if not await self.has_caught_up(server, 30):
            raise Problem(f"{server.name} has no whole copy from any other server: {server.facts()}")
        self.note(f"{server.name} has all again, from another server than {leader.name}")

    async def renew_damaged(self, servers):
        """What an operator does when a server's log names damage: else it is there until somebody needs the entry."""
        await self.lead_stream(next(server for server in self.cluster.servers if server not in servers))
        for server in servers:
            await self.renew(server)

    def check(self):
        """The problems that `watchwise cluster check` finds; a Problem when it finds none."""
        node = self.cluster.nodes[0]
        words = [node.binary, "cluster", "check", "--server", node.url, "--token", node.token, "--journal",
                 ",".join(node.journal), "--journal-monitor", ",".join(node.monitors)]
        answer = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        found = [line for line in answer.stdout.splitlines() if line.startswith("problem")]
        if answer.returncode != 1 or not found:
            raise Problem(f"'watchwise cluster check' ended with {answer.returncode}: {answer.stdout} {answer.stderr}")
        return found

    async def has_caught_up(self, server, seconds):
        """Whether a server has what the others have, three times in a row."""
        count = 0
        for _ in range(seconds * 3):
            await asyncio.sleep(0.33)
            if not server.is_running:
                return False
            last = max(one.facts().get("last", 0) for one in self.cluster.servers if one is not server)
            mine = server.facts().get("last", 0)
            count = count + 1 if mine and mine + 80 >= last else 0
            if count == 3:
                return True
        return False

    # MARK: Entries

    async def damaged_read(self, choose, in_length=False, in_old_block=False):
        """A node is away; an entry that it lacks is damaged on some servers; it comes back and must read it."""
        node = await self.follower()
        place = int((await blocking(node.figures)).get("journal_applied", 0))

        async def meanwhile():
            copy = self.trial.folder / "away"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(node.folder, copy)
            await asyncio.sleep(3)
            if in_old_block:
                await self.fill_block()
            leader, others = await self.servers()
            chosen = choose(leader, others)
            sequence = self.some_sequence(blocks.stream_folder(leader), place, in_old_block)
            await self.stopped(
                chosen, lambda server: f"entry {sequence}: " + blocks.flip_record(
                    blocks.stream_folder(server), sequence, in_length))
            return chosen, copy, sequence

        chosen, copy, sequence = await self.down(node, meanwhile)
        await self.read_damaged(node, chosen, copy, sequence)
        await self.renew_damaged(chosen)

    async def read_damaged(self, node, chosen, copy, sequence):
        """The node reads until it meets the damage, six times at most: its consumer may be on any of the three servers."""
        await self.lead_stream(chosen[0])
        self.note(f"asked for entry {sequence}, the journal says: {self.ask_entry(chosen[0], sequence)}")
        for number in range(6):
            size = node.log.stat().st_size
            try:
                await blocking(node.wait, 60)
                await asyncio.sleep(1.5)
            except Problem as problem:
                # Some servers lack the entry: it is started again, and fetches a database.
                self.note(f"node {node.name} at entry {sequence}: {problem}")
                await asyncio.sleep(1)
                return await blocking(node.wait, 60)
            with open(node.log, "rb") as file:
                file.seek(size)
                said = [line for line in file.read().decode(errors="replace").splitlines()
                        if "read of the journal ended" in line or "takes no part" in line]
            if said:
                self.note(f"node {node.name} at entry {sequence}: {said[0][-300:]}")
                return
            if number < 5:
                async def again():
                    shutil.rmtree(node.folder)
                    shutil.copytree(copy, node.folder)
                await self.down(node, again)
        self.note(f"node {node.name} has read entry {sequence}, six times, from a server that has it")

    def some_sequence(self, folder, place, in_old_block):
        """An entry after a place; in a block that is full, or in the one that is written to."""
        found = blocks.blocks(folder)
        chosen = found[:-1] if in_old_block else found[-1:]
        known = [one for block in chosen for _, _, one in blocks.records(block)]
        wanted = [one for one in known if one > place + 20][5:-30]
        if not wanted:
            raise Problem(f"there are no entries after {place} to damage")
        return self.chance.choice(wanted)

    async def fill_block(self):
        """Writes until the servers have begun another file of the stream: 8 MB."""
        caller, number = self.trial.world.caller, 0
        leader, _ = await self.servers()
        before = len(blocks.blocks(blocks.stream_folder(leader)))
        while len(blocks.blocks(blocks.stream_folder(leader))) == before and number < 600:
            number += 1
            text = base64.b64encode(self.chance.randbytes(36_000)).decode()
            status, value = await caller.call("PUT", f"/v1/documents/large/l{number % 4}", {"text": text})
            if status not in (200, 201):
                raise Problem(f"PUT of {len(text)} letters: {status} {value}")

    @staticmethod
    def ask_entry(server, sequence):
        try:
            answer = natsapi.journal(server, "MSG.GET", body={"seq": sequence})
            return f"{len(answer['message']['data'])} letters"
        except Problem as problem:
            return str(problem)

    async def lead_stream(self, server):
        if server.facts().get("leader") == f"n{server.number}":
            return self.note(f"{server.name} leads the stream")
        try:
            await blocking(natsapi.lead, server)
            for _ in range(50):
                await asyncio.sleep(0.2)
                if server.facts().get("leader") == f"n{server.number}":
                    return self.note(f"{server.name} is made to lead the stream")
        except Problem as problem:
            return self.note(f"{server.name} cannot be made the leader: {problem}")
        self.note(f"{server.name} does not lead the stream")

    async def bit_on_leader(self):
        await self.damaged_read(lambda leader, others: [leader])

    async def bit_on_follower(self):
        await self.damaged_read(lambda leader, others: others[:1])

    async def bit_on_two(self):
        await self.damaged_read(lambda leader, others: [others[0], leader])

    async def old_bit_on_leader(self):
        await self.damaged_read(lambda leader, others: [leader], in_old_block=True)

    async def old_bit_on_two(self):
        await self.damaged_read(lambda leader, others: [others[0], leader], in_old_block=True)

    async def old_length_on_two(self):
        await self.damaged_read(lambda leader, others: [others[0], leader], in_length=True, in_old_block=True)

    async def length_on_follower(self):
        await self.damaged_read(lambda leader, others: others[:1], in_length=True)

    async def length_on_leader(self):
        await self.damaged_read(lambda leader, others: [leader], in_length=True)

    async def length_on_two(self):
        await self.damaged_read(lambda leader, others: [others[0], leader], in_length=True)

    # MARK: What a server knows of the stream

    async def damaged_server(self, work, leads=True):
        leader, others = await self.servers()
        server = leader if leads else others[0]
        await self.stopped([server], work)
        await self.lead_stream(server)

    async def bit_of_raft(self):
        def work(server):
            block = blocks.blocks(blocks.raft_folder(server, "S-"))[-1]
            found = blocks.records(block)
            if not found:
                return f"{block.name} has no record"
            offset, length, number = found[len(found) // 2]
            blocks.flip(block, offset + length // 2)
            return f"{block.name}, record {number} of {found[-1][2]}"
        await self.damaged_server(work)

    async def short_snapshot(self):
        await self.damaged_server(lambda server: self.cut_snapshot(server, "S-"))

    async def short_meta_snapshot(self):
        await self.damaged_server(lambda server: self.cut_snapshot(server, "_meta_"))

    @staticmethod
    def cut_snapshot(server, prefix):
        found = sorted(blocks.raft_folder(server, prefix).glob("snapshots/*"))
        return ", ".join(blocks.cut(path) for path in found) or "there is no snapshot"

    async def short_files(self):
        def work(server):
            folder = blocks.stream_folder(server)
            return ", ".join(blocks.cut(folder / name) for name in ("msgs/index.db", "meta.inf"))
        await self.damaged_server(work)

    # MARK: Folders and the stream

    async def emptied(self, servers):
        for server in servers:
            server.kill()
        for server in servers:
            shutil.rmtree(server.folder, ignore_errors=True)
        await asyncio.sleep(1)
        for server in servers:
            server.start()
        self.note(f"emptied: {', '.join(server.name for server in servers)}")

    async def empty_one(self):
        _, others = await self.servers()
        await self.emptied(others[:1])
        await self.await_server(others[0])
        await self.lead_stream(others[0])

    async def empty_leader(self):
        leader, _ = await self.servers()
        await self.emptied([leader])
        await self.await_server(leader)
        await self.lead_stream(leader)

    async def empty_all(self):
        await self.emptied(self.cluster.servers)

    async def delete_entry(self):
        leader, _ = await self.servers()
        last = leader.facts()["last"]
        try:
            natsapi.journal(leader, "MSG.DELETE", body={"seq": last - 100})
            self.note(f"entry {last - 100} was deleted")
        except Problem as problem:
            self.note(f"refused by NATS: {problem}")

    async def purge(self):
        leader, _ = await self.servers()

        async def meanwhile():
            await asyncio.sleep(2)
            try:
                self.note(f"purged: {natsapi.journal(leader, 'PURGE').get('purged')} entries")
            except Problem as problem:
                self.note(f"refused by NATS: {problem}")
        await self.down(await self.follower(), meanwhile)

    async def full_stream(self):
        """Old entries go first: a node that needs one of them fetches the database of another one."""
        leader, _ = await self.servers()
        settings = natsapi.journal(leader, "INFO")["config"]
        node = await self.follower()
        place = int((await blocking(node.figures)).get("journal_applied", 0))
        node.freeze()
        try:
            natsapi.journal(leader, "UPDATE", body=settings | {"max_bytes": 1 << 18})
            # As many as it has asked for are on their way to it.
            for _ in range(200):
                await asyncio.sleep(0.2)
                if (first := leader.facts().get("first", 0)) > place + 700:
                    break
            self.note(f"node {node.name} is at entry {place}, and the oldest one is {first}")
        finally:
            node.thaw()
        await asyncio.sleep(8)
        natsapi.journal(leader, "UPDATE", body=settings)

    async def delete_stream(self):
        leader, _ = await self.servers()
        natsapi.journal(leader, "DELETE")
        self.note("deleted")

    async def remake_stream(self):
        leader, _ = await self.servers()
        settings = natsapi.journal(leader, "INFO")["config"]
        settings.pop("first_seq", None)
        natsapi.journal(leader, "DELETE")
        natsapi.journal(leader, "CREATE", body=settings)
        self.note("deleted and made again with the same settings")

    # MARK: Databases

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
        text = self.chance.choice(self.trial.world.devices[0].events)
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
                root = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'log'").fetchone()
                root = root or database.execute("SELECT max(rootpage) FROM sqlite_schema").fetchone()
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
