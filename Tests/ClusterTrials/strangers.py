"""Somebody who may use NATS as the nodes do, and does not have their secret: stray, repeated and forged messages."""

import asyncio
import contextlib
import http.server
import os
import random
import shutil
import socket
import threading
import time

from cluster_parts.processes import Problem
from edge import Edge, watching
from faults import Fault, blocking

PREFIX = "ww.watchwise."
#: All subjects after the prefix; those of a node come for each node.
SUBJECTS = ("journal", "heartbeat", "program", "upgrade", "verified", "presence", "signal", "claim", "looking")
OF_NODES = ("commands", "refused", "looking")
DISTURBED_SECONDS = 20
#: Between two rounds, in each of which every subject gets messages.
ROUND_SECONDS = 0.25
SECRETS = ("secret", "webhook-secret", "vapid-key")


class Stranger:
    """A connection to a journal server that knows no secret of the nodes."""

    def __init__(self, server):
        self.socket = socket.create_connection((server.host, server.port), timeout=5)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"pedantic":false,"name":"stranger"}\r\nPING\r\n')
        while not (line := self.lines.readline()).startswith(b"PONG"):
            if not line or line.startswith(b"-ERR"):
                raise Problem(f"{server.name} takes no stranger: {line.decode().strip()}")

    def publish(self, subject, data):
        self.socket.sendall(f"PUB {PREFIX}{subject} {len(data)}\r\n".encode() + data + b"\r\n")

    def settle(self):
        """Waits until the server has taken everything; a Problem if it refused something."""
        self.socket.sendall(b"PING\r\n")
        while not (line := self.lines.readline()).startswith(b"PONG"):
            if line.startswith(b"PING"):
                self.socket.sendall(b"PONG\r\n")
            elif not line or line.startswith(b"-ERR"):
                raise Problem(f"the stranger's connection ends: {line.decode().strip()}")

    def record(self, seconds, hears=None):
        """Everything that is published meanwhile: (subject, bytes) of each. `hears` is told each message at once."""
        self.socket.sendall(f"SUB {PREFIX}> 1\r\n".encode())
        found, end = [], time.monotonic() + seconds
        # Heartbeats come all the time.
        with contextlib.suppress(OSError):
            while time.monotonic() < end and (line := self.lines.readline()):
                if line.startswith(b"PING"):
                    self.socket.sendall(b"PONG\r\n")
                elif line.startswith(b"MSG"):
                    _, subject, *_, size = line.split()
                    found.append((subject.decode().removeprefix(PREFIX), self.lines.read(int(size) + 2)[:-2]))
                    if hears:
                        hears(*found[-1])
        return found

    def close(self):
        self.socket.close()


class StrangerEdges(Edge):
    def all(self):
        return [Fault(f"stray, repeated and forged messages on every subject {DISTURBED_SECONDS} s", self.disturb, 2,
                      10),
                Fault("a node joins while a stranger's heartbeats name another address", self.join_deceived, 2, 10)]

    # MARK: Every subject

    async def disturb(self):
        node = await self.follower()
        (alice,) = self.people("alice")
        path = f"/v1/documents/strangers/{alice.name}"
        stranger = Stranger(self.cluster.servers[0])
        try:
            recording = blocking(stranger.record, 4)
            recorded = asyncio.ensure_future(recording)
            await asyncio.sleep(0.5)
            # One write of each kind by a follower, whose repetition would show.
            await self.operator.call(node, "PUT", path, {"v": "true"})
            await alice.insist(node, type="follow", topic="movie:stranger")
            real = await recorded
        finally:
            stranger.close()
        await alice.insist(node, type="unfollow", topic="movie:stranger")
        before = {one.name: await self.figures(one)() for one in self.cluster.nodes}
        ready = {f"ready_{one.name}": self.readiness(one) for one in self.cluster.nodes}
        async with watching(roles=self.roles(), **ready) as watches:
            counts = await blocking(self.publish_all, real)
            await asyncio.sleep(1)
        await self.judge_disturbed(watches, before, counts)
        document = await self.operator.call(node, "GET", path)
        self.expect((document.value.get("version"), document.value.get("data")) == (1, {"v": "true"}),
                    f"the document is {document.value}")
        follows = await alice.follows(node)
        self.expect("movie:stranger" not in follows, "a repeated command was done again")
        self.judge()

    def publish_all(self, real):
        """Everything on every subject, round by round. Returns how many messages each subject got."""
        chance, counts = random.Random(self.trial.seed), {}
        by_subject = {}
        for subject, data in real:
            by_subject.setdefault(subject, []).append(data)
        self.say(f"recorded: {', '.join(f'{len(all_)} {subject}' for subject, all_ in sorted(by_subject.items()))}")
        subjects = [*SUBJECTS, *(f"{kind}.{node.name}" for kind in OF_NODES for node in self.cluster.nodes)]
        strangers = [Stranger(server) for server in self.cluster.servers]
        end = time.monotonic() + DISTURBED_SECONDS
        while time.monotonic() < end:
            for subject in subjects:
                for data in self.messages(chance, subject, by_subject):
                    chance.choice(strangers).publish(subject, data)
                    counts[subject] = counts.get(subject, 0) + 1
            for stranger in strangers:
                stranger.settle()
            time.sleep(ROUND_SECONDS)
        for stranger in strangers:
            stranger.close()
        return counts

    @staticmethod
    def messages(chance, subject, by_subject):
        """Noise, something like a code, a real message again, one with another byte, and one of another subject."""
        noise = chance.randbytes(chance.randrange(1, 200))
        messages = [chance.choice([b"hello", b"", noise, b"WW" + noise]),
                    chance.choice([b"WS", b"\xa5"]) + chance.randbytes(24) + noise]
        if subject in by_subject:
            message = chance.choice(by_subject[subject])
            changed = bytearray(message)
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            messages += [message, bytes(changed)]
        elsewhere = [one for one in by_subject if one != subject]
        return [*messages, chance.choice(by_subject[chance.choice(elsewhere)])] if elsewhere else messages

    async def judge_disturbed(self, watches, before, counts):
        roles = watches.pop("roles")
        terms = {term for _, seen in roles.samples for term, _ in seen.values()}
        self.expect(len(terms) == 1, f"the lead has changed: terms {sorted(terms)}")
        for name, watch in watches.items():
            bad = [f"{at:.1f} s: {status}" for at, status in watch.samples if status != 200]
            self.expect(not bad, f"node {name[-1]} is not ready: {bad[:5]}")
        told = []
        for node in self.cluster.nodes:
            after, name = await self.figures(node)(), "journal_foreign_total"
            grown = after.get(name, 0) - before[node.name].get(name, 0)
            told.append(f"{node.name} {grown:,.0f}")
            self.expect(grown >= counts["journal"],
                        f"node {node.name} counts {grown:.0f} foreign messages of {counts['journal']} in the journal "
                        f"alone")
        self.say(f"{sum(counts.values()):,} messages on {len(counts)} subjects, {counts['journal']} of them in the "
                 f"journal; "
                 f"counted as foreign: {', '.join(told)}; term {sorted(terms)}")

    # MARK: Joining

    async def join_deceived(self):
        """A follower's folder is emptied. Somebody sends the others' heartbeats with an own address, and waits for the token."""
        node = await self.follower()
        asked = []
        host = next(iter(self.network.addresses.values())).rsplit(".", 1)[0] + ".1"

        class Door(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, self.headers.get("Authorization")))
                self.send_error(503)

            do_POST = do_GET

            def log_message(self, *_):
                """It says nothing."""

        door = http.server.ThreadingHTTPServer((host, 0), Door)
        threading.Thread(target=door.serve_forever, daemon=True).start()
        forging = threading.Thread(target=self.forge,
                                   args=(f"http://{host}:{door.server_port}", end := threading.Event()), daemon=True)
        await blocking(node.stop)
        self.empty(node)
        forging.start()
        try:
            await asyncio.sleep(1)
            node.start()
            try:
                ready = f"is ready {await self.await_ready(node, 40):.1f} s after its start"
            except Problem as problem:
                ready = "is not ready"
                self.expect(False, str(problem))
            self.say(f"the emptied node {node.name} {ready}; {self.forged} heartbeats were forged, {len(asked)} "
                     f"requests came to the stranger")
            self.expect(self.forged > 10, "no heartbeats were forged")
            self.expect(not asked, f"the stranger was asked: "
                                   f"{[(path, (token or '')[:20]) for path, token in asked[:3]]}")
        finally:
            end.set()
            door.shutdown()
            door.server_close()
            if not node.is_running:
                node.start()
            elif self.found:
                # It has asked the stranger, and begins again without him.
                node.kill()
                node.start()
        self.judge()

    def forge(self, address, end):
        """Sends each heartbeat that it hears again, with another address."""
        self.forged = 0
        hearing, speaking = Stranger(self.cluster.servers[0]), Stranger(self.cluster.servers[1])

        def hear(subject, data):
            if subject != "heartbeat":
                return
            for node in self.cluster.nodes:
                # The length stands before the text, so the address must be as long.
                real = node.url.encode()
                if real in data:
                    self.forged += 1
                    speaking.publish(subject, data.replace(real, address[:len(real)].ljust(len(real), "/").encode()))

        while not end.is_set():
            hearing.record(1, hear)
        hearing.close()
        speaking.close()

    @staticmethod
    def empty(node):
        for path in node.folder.iterdir():
            if path.name not in SECRETS:
                shutil.rmtree(path) if path.is_dir() else os.unlink(path)
