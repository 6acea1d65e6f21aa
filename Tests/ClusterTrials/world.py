"""The players of a trial: users with devices, writers of every kind, and what they were answered."""

import asyncio
import random
import time

import aiohttp

from caller import Caller
from session import Device, Lost, Refused

USERS = [f"u{number}" for number in range(6)]
#: The number of problems that are printed for each fault.
SHOWN_MAX = 8
#: After these refusals a write may have been done; a repetition needs a key.
UNKNOWN = ("timeout", "internal", "unavailable")
TOPICS = [f"movie:{number}" for number in range(4)]
TRIGGER = {"event": "write", "path": "tasks/{task}", "audience": "user:{after.to}", "kind": "task",
           "title": "{{after.n}}", "data": {"n": "{{after.n}}"}}


class World:
    def __init__(self, cluster, seed, devices=2, move_seconds=2.5):
        self.cluster, self.nodes, self.chance = cluster, cluster.nodes, random.Random(seed)
        self.move_seconds = move_seconds
        self.is_over = self.is_writing = False
        self.problem_count = self.shown = 0
        #: Moments of answered writes; refusals with their codes; (lost, live again) of sessions; `bye` with their codes.
        self.oks, self.refusals, self.returns, self.byes = [], [], [], []
        #: (start, end) of times in which nobody was to write.
        self.rests = []
        self.tokens = {user: self.nodes[0].make_token(user) for user in USERS}
        self.admin = self.nodes[0].make_token("operator", "admin")
        self.devices = [Device(self, user, f"d{number}", place * devices + number)
                        for place, user in enumerate(USERS) for number in range(devices)]
        self.writers = [
            *(ChatWriter(self, user, USERS[(place + step) % len(USERS)]) for place, user in enumerate(USERS) for step in (1, -1)),
            *(Reader(self, user) for user in USERS), *(Follower(self, user) for user in USERS[:3]),
            *(TaskWriter(self, number) for number in range(3)), *(PlainWriter(self, number) for number in range(2)),
            *(Counter(self, number) for number in range(3))]

    @staticmethod
    def now():
        return time.monotonic()

    def problem(self, text):
        self.problem_count += 1
        self.shown += 1
        if self.shown <= SHOWN_MAX:
            print(f"      problem: {text}", flush=True)

    def ok(self):
        self.oks.append(self.now())

    def of(self, kind):
        return [writer for writer in self.writers if isinstance(writer, kind)]

    def devices_of(self, user):
        return [device for device in self.devices if device.user == user]

    def some_device(self, user):
        return self.chance.choice(self.devices_of(user))

    # MARK: The course

    async def begin(self):
        """Everybody is there, and follows whom they write to; then all cursors start at the same place."""
        self.http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        self.caller = Caller(self, 0)
        for path, body in (("/v1/triggers/task", TRIGGER), ):
            status, value = await self.caller.call("PUT", path, body)
            if status not in (200, 201):
                raise RuntimeError(f"PUT {path}: {status} {value}")
        self.tasks = [asyncio.create_task(self.guard(device.run(), device.title)) for device in self.devices]
        async with asyncio.timeout(60):
            for device in self.devices:
                await device.live.wait()
            for writer in self.of(ChatWriter):
                await self.some_device(writer.user).ask({"type": "follow", "topic": f"user:{writer.peer}"}, makes_event=False)
        await asyncio.sleep(1)
        self.start = max(device.seq for device in self.devices)
        self.is_writing = True
        self.writing = [asyncio.create_task(self.guard(writer.run(), str(writer))) for writer in self.writers]
        self.tasks.append(asyncio.create_task(self.guard(self.move_devices(), "mover")))

    async def guard(self, work, name):
        try:
            await work
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.problem(f"{name} ended: {type(error).__name__}: {error}")

    async def move_devices(self):
        while not self.is_over:
            await asyncio.sleep(self.move_seconds / len(self.devices))
            self.chance.choice(self.devices).move()

    async def rest(self, seconds=90):
        """Writers finish what they have begun; then all devices must get what is on its way."""
        self.is_writing = False
        _, late = await asyncio.wait(self.writing, timeout=seconds)
        for task in late:
            task.cancel()
            self.problem(f"a writer was not answered within {seconds} s")
        self.move_seconds = 3600
        before, end = None, self.now() + 30
        while self.now() < end:
            state = [(device.is_live, len(device.events), device.unread) for device in self.devices]
            if state == before and all(device.is_live for device in self.devices):
                return
            before = state
            await asyncio.sleep(1.5)
        for device in self.devices:
            if not device.is_live:
                device.problem("it is not live again")

    async def close(self):
        self.is_over = True
        for task in [*self.tasks, *self.writing]:
            task.cancel()
        await asyncio.gather(*self.tasks, *self.writing, return_exceptions=True)
        await self.http.close()

    async def pause(self, most):
        await asyncio.sleep(self.chance.uniform(0, most))


class ChatWriter:
    """Sends messages to one peer, each with a key, the next when the one before is answered."""

    def __init__(self, world, user, peer):
        self.world, self.user, self.peer, self.sent, self.answers = world, user, peer, [], []

    def __str__(self):
        return f"{self.user} to {self.peer}"

    async def run(self):
        while self.world.is_writing:
            text = f"{self.user}>{self.peer} {len(self.sent)}"
            self.sent.append(text)
            device = self.world.some_device(self.user)
            answer = await device.ask({"type": "send", "to": self.peer, "text": text, "key": f"{self.peer}-{len(self.sent)}"})
            self.answers.append((answer["chat"], answer["n"], answer["seq"]))
            self.world.ok()
            await self.world.pause(0.12)


class Reader:
    """Reads the user's chats, and marks notifications as seen. Neither command has a key: a repetition is no error."""

    def __init__(self, world, user):
        self.world, self.user, self.read, self.seen = world, user, {}, 0

    def __str__(self):
        return f"{self.user} reads"

    async def run(self):
        device = self.world.some_device(self.user)
        await device.live.wait()
        # The notifications from before the devices came are in the events of none.
        self.seen = device.seq
        await device.ask({"type": "seen", "upTo": self.seen}, makes_event=False)
        while self.world.is_writing:
            await self.world.pause(1.2)
            device = self.world.some_device(self.user)
            kind = self.world.chance.choice(("message", "message", "notification"))
            found = [event for event in device.events[-60:] if event["type"] == kind]
            if not found:
                continue
            event = self.world.chance.choice(found)
            if kind == "message":
                await device.ask({"type": "read", "chat": event["chat"], "n": event["n"]}, makes_event=False)
                self.read[event["chat"]] = max(self.read.get(event["chat"], 0), event["n"])
            else:
                await device.ask({"type": "seen", "upTo": event["seq"]}, makes_event=False)
                self.seen = max(self.seen, event["seq"])
            self.world.ok()


class Follower:
    """Follows and unfollows topics without keys, each once: what was not answered may have been done or not, or is done up to 10 s
    later, also after later writes of the same client (Signals.md)."""

    LATE_SECONDS = 12

    def __init__(self, world, user):
        self.world, self.user, self.state, self.late = world, user, {}, []

    def __str__(self):
        return f"{self.user} follows"

    async def run(self):
        while self.world.is_writing:
            topic, is_on = self.world.chance.choice(TOPICS), self.world.chance.random() < 0.5
            before = self.state.get(topic, {False})
            try:
                await self.world.some_device(self.user).ask_once(
                    {"type": "follow" if is_on else "unfollow", "topic": topic}, makes_event=False)
                late = {value for name, value, at in self.late if name == topic and self.world.now() - at < self.LATE_SECONDS}
                self.state[topic] = {is_on} | late
                self.world.ok()
            except Lost:
                self.lose(topic, before, is_on)
            except Refused as refusal:
                self.world.refusals.append((self.world.now(), refusal.error["code"]))
                if refusal.error["code"] in UNKNOWN:
                    self.lose(topic, before, is_on)
            await self.world.pause(0.4)

    def lose(self, topic, before, is_on):
        self.state[topic] = before | {is_on}
        self.late.append((topic, is_on, self.world.now()))


class TaskWriter:
    """Writes documents with an Idempotency-Key; a trigger notifies one user of each."""

    def __init__(self, world, number):
        self.world, self.number, self.caller = world, number, Caller(world, number)
        self.written = []

    def __str__(self):
        return f"task writer {self.number}"

    async def run(self):
        while self.world.is_writing:
            n, user = f"t{self.number}-{len(self.written)}", self.world.chance.choice(USERS)
            status, value = await self.caller.call(
                "PUT", f"/v1/documents/tasks/{n}", {"to": user, "n": n}, {"Idempotency-Key": n})
            if status != 200 or value["version"] != 1:
                self.world.problem(f"PUT tasks/{n} with a key: {status} {value}")
            self.written.append((n, user, value.get("seq")))
            self.world.ok()
            await self.world.pause(0.25)


class PlainWriter:
    """Writes one document again and again without a key, each time once."""

    def __init__(self, world, number):
        self.world, self.path, self.caller = world, f"/v1/documents/plain/p{number}", Caller(world, number)
        self.number, self.sent, self.answered, self.unknown = number, 0, [], []

    def __str__(self):
        return f"plain writer {self.number}"

    async def run(self):
        while self.world.is_writing:
            self.sent += 1
            try:
                status, value = await self.caller.call_once("PUT", self.path, {"value": self.sent})
                if status == 200:
                    self.answered.append((self.sent, value["version"], value["seq"]))
                    self.world.ok()
                elif value.get("code") in UNKNOWN:
                    self.unknown.append(self.sent)
                elif status < 500 and status != 429:
                    self.world.problem(f"PUT {self.path} without a key: {status} {value}")
            except Lost:
                self.unknown.append(self.sent)
            await self.world.pause(0.15)


class Counter:
    """Three callers count up one document with If-Match: each version is written by exactly one of them."""

    path = "/v1/documents/counters/one"

    def __init__(self, world, number):
        self.world, self.number, self.caller = world, number, Caller(world, number)
        self.answered, self.unknown, self.conflicts, self.known = {}, [], 0, (0, 0)

    def __str__(self):
        return f"counter {self.number}"

    async def run(self):
        tries = 0
        while self.world.is_writing:
            version, n = self.known
            by = f"{self.number}-{tries}"
            tries += 1
            guard = {"If-Match": f'"{version}"'} if version else {"If-None-Match": "*"}
            try:
                status, value = await self.caller.call_once("PUT", self.path, {"n": n + 1, "by": by}, guard)
                if status == 200:
                    self.answered[value["version"]] = by
                    self.known = (value["version"], n + 1)
                    self.world.ok()
                elif status == 412:
                    self.conflicts += 1
                    self.known = (value["version"], value["data"]["n"])
                elif value.get("code") in UNKNOWN:
                    self.unknown.append((version + 1, by))
                elif status < 500 and status != 429:
                    self.world.problem(f"PUT {self.path} with If-Match: {status} {value}")
            except Lost:
                self.unknown.append((version + 1, by))
            await self.world.pause(0.2)
