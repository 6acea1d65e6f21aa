"""People who chat while others attack, each at a steady pace, and how long their messages take.

Each pair has two sessions, from two addresses of their own. The first sends the second a short message ten times a
second, whether or not the ones before are answered, so that a stall of a second shows in ten messages and not in one.
Three times are taken, each from the moment at which the message was due: until the `ok`, until the message stands at
the second, and of a page of the history that the second reads twice a second. A refusal that a client may repeat is
repeated with the same key, and a connection that ends is opened again and resumed: what counts is when it was done.
"""

import asyncio
import collections
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from Trials.device import frame, text, upgrade

PAUSE = 0.1
READ_PAUSE = 0.5


def preferred(value):
    """Gives this process a higher priority, where that is allowed."""
    try:
        os.nice(value)
    except OSError:
        pass


class Line:
    """One session that reconnects after each break, with everything that it received."""

    def __init__(self, port, token, device, source, encryption, hears):
        self.port, self.token, self.device, self.source = port, token, device, source
        self.encryption, self.hears = encryption, hears
        self.writer, self.cursor, self.breaks = None, None, 0
        self.isLive = asyncio.Event()

    async def keep(self):
        """Opens the session again whenever it ends."""
        while True:
            try:
                await self.stand()
            except (OSError, asyncio.IncompleteReadError, TimeoutError, ssl.SSLError):
                pass
            self.isLive.clear()
            self.breaks += 1
            await asyncio.sleep(0.2)

    async def stand(self):
        reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(self.source, 0), ssl=self.encryption)
        self.writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = {"id": 0, "type": "hello", "token": self.token, "device": self.device}
        if self.cursor:
            hello["since"] = self.cursor
        self.writer.write(upgrade() + text(hello))
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head[:60])
        while True:
            first = await reader.readexactly(2)
            size = first[1] & 127
            if size > 125:
                size = int.from_bytes(await reader.readexactly(2 if size == 126 else 8), "big")
            payload = await reader.readexactly(size)
            opcode = first[0] & 15
            if opcode == 1:
                self.take(json.loads(payload))
            elif opcode == 8:
                raise ConnectionError(payload)
            elif opcode == 9:
                self.writer.write(frame(10, payload))

    def take(self, message):
        if message.get("re") == 0 and "ok" in message and not self.cursor:
            self.cursor = {"epoch": message["ok"]["epoch"], "seq": message["ok"]["seq"]}
        if message.get("type") == "live":
            self.isLive.set()
        if "seq" in message and self.cursor:
            self.cursor["seq"] = max(self.cursor["seq"], message["seq"])
        self.hears(message)

    def say(self, command):
        if self.isLive.is_set():
            self.writer.write(text(command))


class Pair:
    """Two people: one writes, the other reads."""

    def __init__(self, number, port, tokens, record, encryption):
        self.number, self.record = number, record
        self.writes = Line(port, tokens[0], "phone", f"127.0.2.{number + 1}", encryption, self.answered)
        self.reads = Line(port, tokens[1], "phone", f"127.0.3.{number + 1}", encryption, self.delivered)
        self.due, self.unanswered, self.undelivered, self.reading = {}, {}, {}, {}
        self.doubled = 0
        self.last = 100
        self.isOpen = asyncio.Event()
        self.chat = f"alice{number}:bob{number}"

    async def begin(self):
        self.tasks = [asyncio.create_task(line.keep()) for line in (self.writes, self.reads)]
        await self.writes.isLive.wait()
        await self.reads.isLive.wait()
        while not self.isOpen.is_set():
            self.writes.say({"id": 1, "type": "follow", "topic": f"user:bob{self.number}"})
            self.writes.say({"id": 2, "type": "send", "to": f"bob{self.number}", "text": "hi", "key": "open"})
            try:
                await asyncio.wait_for(self.isOpen.wait(), 5)
            except TimeoutError:
                pass

    async def chatter(self, ends):
        start = time.monotonic() + PAUSE * self.number / 10
        for tick in range(1 << 30):
            due = start + tick * PAUSE
            await asyncio.sleep(max(0, due - time.monotonic()))
            if ends.is_set():
                return
            self.last += 1
            number = self.last
            self.unanswered[number] = self.undelivered[f"b{number}"] = due
            self.due[number] = due
            self.send(number)
            if tick % round(READ_PAUSE / PAUSE) == 0 and len(self.reading) < 20:
                self.reading[number] = due
                self.reads.say({"id": number, "type": "history", "chat": self.chat, "limit": 20})

    def send(self, number):
        self.writes.say({"id": number, "type": "send", "chat": self.chat, "text": f"seen it, number {number}?",
                         "key": f"b{number}"})

    def answered(self, message):
        number = message.get("re")
        if number == 2 and "ok" in message:
            self.isOpen.set()
        # After a break, every message without an answer is sent again, with its key.
        if message.get("type") == "live" and self.isOpen.is_set():
            for waiting in list(self.unanswered):
                self.send(waiting)
        if number not in self.unanswered:
            return
        if "ok" in message:
            began = self.unanswered.pop(number)
            self.note("ok", began)
        elif message["error"]["class"] in ("retry", "limit"):
            pause = max(0.05, message["error"].get("retryAfterMs", 100) / 1000)
            self.note("refused", time.monotonic(), f"{message['error']['code']}, to be repeated after {pause:.1f} s")
            asyncio.get_running_loop().call_later(pause, self.send, number)
        else:
            self.note("failed", self.unanswered.pop(number), message["error"]["code"])

    def delivered(self, message):
        if message.get("type") == "message" and message.get("chat") == self.chat:
            key = f"b{message['text'].rsplit(' ', 1)[1].rstrip('?')}" if "number" in message["text"] else None
            if key in self.undelivered:
                self.note("delivery", self.undelivered.pop(key))
            elif key:
                self.doubled += 1
        elif message.get("re") in self.reading:
            self.note("read", self.reading.pop(message["re"]))

    def note(self, kind, began, what=""):
        self.record.write(f"{kind} {began:.6f} {time.monotonic() - began:.6f} {what}\n")


async def chat(port, tokens, path, isEncrypted):
    """Chats until SIGTERM, then waits for unfinished messages, and reports lost ones."""
    encryption = None
    if isEncrypted:
        encryption = ssl.create_default_context()
        encryption.check_hostname, encryption.verify_mode = False, ssl.CERT_NONE
    record = open(path, "w", buffering=1)
    pairs = [Pair(number, port, tokens[2 * number:2 * number + 2], record, encryption)
             for number in range(len(tokens) // 2)]
    for pair in pairs:
        await pair.begin()
    ends = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ends.set)
    record.write("begun 0 0\n")
    await asyncio.gather(*(pair.chatter(ends) for pair in pairs))
    for _ in range(300):
        if not any(pair.unanswered or pair.undelivered for pair in pairs):
            break
        await asyncio.sleep(0.1)
    for pair in pairs:
        for number in pair.unanswered:
            pair.note("unanswered", pair.unanswered[number])
        # A message without an answer may be lost; one with an answer may not.
        for key in pair.undelivered:
            if int(key[1:]) not in pair.unanswered:
                pair.note("lost", pair.undelivered[key])
        if pair.doubled:
            record.write(f"doubled 0 {pair.doubled}\n")
        breaks = pair.writes.breaks + pair.reads.breaks
        if breaks:
            record.write(f"breaks 0 {breaks}\n")
    record.write("ended 0 0\n")


class Bystanders:
    """The pairs, in a process of their own, and the file of its measurements."""

    def __init__(self, house, tokens, isEncrypted=False):
        self.path = f"{house.folder}/bystanders"
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(house.port), self.path, "tls" if isEncrypted else "plain", *tokens])
        self.samples = []
        self.place = 0

    def look(self):
        if not pathlib.Path(self.path).exists():
            return
        with open(self.path) as file:
            file.seek(self.place)
            for line in iter(file.readline, ""):
                if not line.endswith("\n"):
                    break
                self.place = file.tell()
                kind, began, took, what = (line.rstrip("\n").split(" ", 3) + [""])[:4]
                self.samples.append((kind, float(began), float(took) * 1000, what))

    def has(self, kind):
        self.look()
        return any(sample[0] == kind for sample in self.samples)

    def wait(self, kind, seconds):
        until = time.monotonic() + seconds
        while not self.has(kind):
            if time.monotonic() > until or (self.process.poll() is not None and not self.has(kind)):
                return False
            time.sleep(0.05)
        return True

    def between(self, start, end, kind="ok"):
        """Number, p50, p99 and maximum, in milliseconds, of the messages due in a span, including those without an answer."""
        self.look()
        kinds = (kind, "unanswered") if kind == "ok" else (kind, "lost") if kind == "delivery" else (kind,)
        found = sorted(took for what, began, took, _ in self.samples if what in kinds and start <= began < end)
        if not found:
            return 0, 0, 0, 0
        return len(found), found[len(found) // 2], found[min(len(found) - 1, len(found) * 99 // 100)], found[-1]

    def count(self, kind):
        self.look()
        if kind in ("doubled", "breaks"):
            return sum(int(took / 1000) for what, _, took, _ in self.samples if what == kind)
        return sum(what == kind for what, _, _, _ in self.samples)

    def refusals(self):
        """The refusals of the others, who had to repeat their messages."""
        self.look()
        return collections.Counter(what for kind, _, _, what in self.samples if kind == "refused")

    def finish(self):
        """Ends the chats; waits until every message is delivered or known to be lost."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.look()


if __name__ == "__main__":
    preferred(-15)
    asyncio.run(chat(int(sys.argv[1]), sys.argv[4:], sys.argv[2], sys.argv[3] == "tls"))
