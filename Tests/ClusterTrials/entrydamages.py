"""Bits of entries in the files of journal servers, and of their lengths."""

import asyncio
import base64
import shutil

import blocks
import natsapi
from cluster_parts.processes import Problem
from faults import blocking
from repairs import Repairs

TRIES = 6


class EntryDamages(Repairs):
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
        """The node reads until it meets the damage: its consumer may be on any of the three servers."""
        await self.lead_stream(chosen[0])
        self.note(f"asked for entry {sequence}, the journal says: {self.ask_entry(chosen[0], sequence)}")
        for number in range(TRIES):
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
                return None
            if number < TRIES - 1:
                async def again():
                    shutil.rmtree(node.folder)
                    shutil.copytree(copy, node.folder)
                await self.down(node, again)
        self.note(f"node {node.name} has read entry {sequence}, {TRIES} times, from a server that has it")

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
