"""A few people who talk, remember acknowledged messages, and repeat all others."""

import asyncio
import time

from Trials.device import Device


class Town:
    """Pairs of people who write to each other, two devices each, and the record of acknowledged messages."""

    def __init__(self, server, pairs=4, pace=0.004):
        self.server, self.pace = server, pace
        self.acknowledged, self.tried, self.problems, self.refusals = {}, {}, [], []
        self.latest = 0.0
        self.pairs = [(f"a{number}", f"b{number}") for number in range(pairs)]
        self.tokens = {user: server.token(user) for pair in self.pairs for user in pair}
        self.isWriting = True

    @property
    def port(self):
        return self.server.port

    def problem(self, text):
        if len(self.problems) < 20:
            self.problems.append(text)

    def refused(self, error):
        self.refusals.append(error)

    async def begin(self):
        self.devices = {(user, name): Device(self, user, name) for user in self.tokens for name in ("phone", "tablet")}
        for left, right in self.pairs:
            for one, other in ((left, right), (right, left)):
                await self.devices[one, "phone"].insist({"type": "follow", "topic": f"user:{other}", "key": "follow"})
        self.writers = [
            asyncio.create_task(self.write(one, other))
            for pair in self.pairs for one, other in (pair, pair[::-1])]

    async def write(self, user, other):
        number = 0
        while self.isWriting:
            number += 1
            key = f"{user}-{number}"
            self.tried[key] = (user, number)
            ok = await self.devices[user, "phone"].insist({"type": "send", "to": other, "text": key, "key": key})
            self.acknowledged[key] = (ok["chat"], ok["n"], ok["seq"])
            self.latest = time.monotonic()
            await asyncio.sleep(self.pace)

    async def next_ok(self, timeout=10):
        """Seconds until the next acknowledgement; None when there is none."""
        began = time.monotonic()
        while self.latest < began:
            if time.monotonic() - began > timeout:
                return None
            await asyncio.sleep(0.005)
        return self.latest - began

    async def drain(self):
        """Waits until every writer's connection has brought the acknowledgements that the server had sent before."""
        for pair in self.pairs:
            for user in pair:
                await self.devices[user, "phone"].ask({"type": "ping"}, 5)

    async def settle(self):
        """Ends the writing, waits for every device, and compares all records. Returns the problems."""
        self.isWriting = False
        done, late = await asyncio.wait(self.writers, timeout=20)
        if late:
            self.problem(f"{len(late)} writers got no answer")
            for task in late:
                task.cancel()
        for task in done:
            if task.exception():
                self.problem(f"a writer ended: {task.exception()!r}")
        for left, right in self.pairs:
            await self.compare(left, right)
        for device in self.devices.values():
            device.task.cancel()
        return self.problems

    async def compare(self, left, right):
        chat = ":".join(sorted((left, right)))
        history = []
        while True:
            page = await self.devices[left, "tablet"].insist(
                {"type": "history", "chat": chat, "after": history[-1]["n"] if history else 0, "limit": 200})
            history += page["messages"]
            if not page["messages"] or "next" not in page or page["next"] is None:
                break
        if [message["n"] for message in history] != list(range(1, len(history) + 1)):
            self.problem(f"{chat}: numbers with gaps, {len(history)} messages")
        texts = [message["text"] for message in history]
        if len(set(texts)) != len(texts):
            self.problem(f"{chat}: {len(texts) - len(set(texts))} doubled")
        for key, (user, _) in self.tried.items():
            if user in (left, right) and key in self.acknowledged:
                place = self.acknowledged[key]
                if place[1] > len(history) or texts[place[1] - 1] != key:
                    self.problem(f"{key} was acknowledged as {place} and is not there")
        for user in (left, right):
            numbers = [int(text.rsplit("-", 1)[1]) for text in texts if text.startswith(user + "-")]
            if numbers != sorted(numbers):
                self.problem(f"{chat}: the messages of {user} are out of order")
            for name in ("phone", "tablet"):
                await self.check_device(self.devices[user, name], chat, history)

    async def check_device(self, device, chat, history):
        expected = [(message["n"], message["text"]) for message in history]

        def seen():
            return [
                (event["n"], event["text"]) for event in device.events.values()
                if event["type"] == "message" and event["chat"] == chat]

        deadline = time.monotonic() + 10
        while len(seen()) < len(expected) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        if seen() != expected:
            missing = len(set(expected) - set(seen()))
            self.problem(f"{device.user}/{device.name} saw {len(seen())} of {len(expected)}, {missing} missing")
