"""What a server knows of the stream, whole folders, and an operator's hand on the stream."""

import asyncio
import shutil

import blocks
import natsapi
from cluster_parts.processes import Problem
from faults import blocking
from repairs import Repairs


class StreamDamages(Repairs):
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
