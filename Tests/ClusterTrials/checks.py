"""The questions at the end: was anything lost, doubled or reordered, and does every node say the same?"""

import asyncio

from session import Device, Lost
from world import TOPICS, USERS, ChatWriter, Counter, Follower, PlainWriter, Reader, TaskWriter

#: A resume brings at most 5,000 events.
SEGMENT = 3000
# A resume over more than 5,000 events is refused as too far.
RESUMED_MAX = 4500


class Checks:
    """Asks and compares; every difference is a problem of the world. `counts` says how much was compared."""

    def __init__(self, world):
        self.world, self.counts = world, {}
        self.events = {user: self.of_both(user) for user in USERS}

    def problem(self, text):
        self.world.problem(text)

    def of_both(self, user):
        """The events of a user's devices, which must be the same ones."""
        lists = [[event for event in device.events if event["seq"] > self.world.start] for device in self.world.devices_of(user)]
        for other in lists[1:]:
            self.compare(lists[0], other, f"the devices of {user}")
        return lists[0]

    def compare(self, one, other, what):
        if one == other:
            return
        mine, theirs = {event["seq"] for event in one}, {event["seq"] for event in other}
        if mine != theirs:
            self.problem(f"{what} differ: only the first has {sorted(mine - theirs)[:5]}, only the second {sorted(theirs - mine)[:5]}")
        else:
            pair = next((pair for pair in zip(one, other) if pair[0] != pair[1]), None)
            self.problem(f"{what} have other bytes or another order: {pair}")

    async def all(self):
        self.messages()
        self.notifications()
        await self.unread()
        await self.follows()
        await self.documents()
        await self.replays()

    # MARK: Messages and notifications

    def messages(self):
        total = 0
        for place, user in enumerate(USERS):
            peer = USERS[(place + 1) % len(USERS)]
            writers = [writer for writer in self.world.of(ChatWriter) if {writer.user, writer.peer} == {user, peer}]
            chat = ":".join(sorted((user, peer)))
            sent = {text: writer for writer in writers for text in writer.sent}
            found = [event for event in self.events[user] if event["type"] == "message" and event["chat"] == chat]
            self.compare(found, [event for event in self.events[peer] if event["type"] == "message" and event["chat"] == chat],
                         f"the messages of {chat} at both members")
            if [event["n"] for event in found] != list(range(1, len(found) + 1)):
                self.problem(f"{chat}: the numbers have gaps or another order: {[event['n'] for event in found][:50]}")
            texts = [event["text"] for event in found]
            if len(set(texts)) != len(texts):
                self.problem(f"{chat}: doubled {sorted({text for text in texts if texts.count(text) > 1})[:3]}")
            for text in set(texts) - set(sent):
                self.problem(f"{chat}: nobody sent '{text}'")
            for writer in writers:
                self.messages_of(writer, chat, {event["text"]: event for event in found}, texts)
            total += len(found)
        self.counts["messages"] = total

    def messages_of(self, writer, chat, by_text, texts):
        """Each acknowledged message is where the answer said, and all are in the order of the writer."""
        for text, (said, n, seq) in zip(writer.sent, writer.answers):
            event = by_text.get(text)
            if event is None:
                self.problem(f"{chat}: '{text}' was acknowledged as {n} and is lost")
            elif (event["chat"], event["n"], event["seq"]) != (said, n, seq):
                self.problem(f"{chat}: '{text}' was acknowledged as {n} at {seq} and is {event['n']} at {event['seq']}")
        order = [text for text in texts if text.startswith(f"{writer.user}>")]
        if order != [text for text in writer.sent if text in by_text]:
            self.problem(f"{chat}: the messages of {writer.user} are not in the order in which they were sent")

    def notifications(self):
        expected = {(n, user) for writer in self.world.of(TaskWriter) for n, user, _ in writer.written}
        found = [(event["data"]["n"], user) for user in USERS for event in self.events[user]
                 if event["type"] == "notification" and event["kind"] == "task"]
        for one in sorted(expected - set(found))[:5]:
            self.problem(f"the notification of tasks/{one[0]} for {one[1]} is lost")
        for one in sorted(set(found) - expected)[:5]:
            self.problem(f"there is a notification of nothing: {one}")
        if len(found) != len(set(found)):
            self.problem(f"doubled notifications: {sorted({one for one in found if found.count(one) > 1})[:5]}")
        self.counts["notifications"] = len(found)

    async def unread(self):
        """The counts of each device and of each node."""
        for reader in self.world.of(Reader):
            user, last = reader.user, {}
            for event in self.events[user]:
                if event["type"] == "message" and event["from"] != user:
                    last[event["chat"]] = event["n"]
            unread = {chat for chat, n in last.items() if n > reader.read.get(chat, 0)}
            unseen = [event for event in self.events[user] if event["type"] == "notification" and event["seq"] > reader.seen]
            expected = (len(unread), len(unseen))
            for device in self.world.devices_of(user):
                if device.unread is not None and device.unread != expected:
                    device.problem(f"got the counts {device.unread} of unread chats and notifications, expected {expected}")
            for node in self.world.nodes:
                chats = (await self.ask(user, {"type": "chats", "limit": 200}, node))["chats"]
                found = {entry["chat"] for entry in chats if entry["unread"] > 0}
                if found != unread:
                    self.problem(f"node {node.name}: unread chats of {user} are {sorted(found)}, expected {sorted(unread)}")
                found = (await self.ask(user, {"type": "notifications", "limit": 1}, node))["unread"]
                if found != len(unseen):
                    self.problem(f"node {node.name}: {user} has {found} unseen notifications, expected {len(unseen)}")

    async def follows(self):
        for follower in self.world.of(Follower):
            answers = []
            for node in self.world.nodes:
                found = set((await self.ask(follower.user, {"type": "following", "limit": 200}, node))["topics"])
                answers.append(found & set(TOPICS))
                for topic in TOPICS:
                    if (topic in found) not in follower.state.get(topic, {False}):
                        self.problem(f"node {node.name}: {follower.user} {'follows' if topic in found else 'does not follow'} "
                                     f"{topic}, which the last answer does not say")
            if any(answer != answers[0] for answer in answers):
                self.problem(f"the nodes say different follows of {follower.user}: {answers}")

    async def ask(self, user, command, node):
        """A command over HTTP to one node."""
        caller = self.world.caller
        for _ in range(50):
            try:
                status, value = await caller.call_once(
                    "POST", "/v1/commands", command, {"Authorization": f"Bearer {self.world.tokens[user]}"}, node)
                if status == 200:
                    return value["ok"]
            except Lost:
                status, value = 0, "no answer"
            await asyncio.sleep(0.2)
        self.problem(f"node {node.name} does not answer {command}: {status} {value}")
        return {"chats": [], "topics": [], "unread": None}

    # MARK: Documents

    async def document(self, path):
        """The document as every node has it."""
        found = []
        for node in self.world.nodes:
            status, value = await self.world.caller.call("GET", path, node=node)
            found.append((value.get("version"), value.get("data")) if status == 200 else (0, None))
        if any(one != found[0] for one in found):
            self.problem(f"the nodes have different documents {path}: {found}")
        return found[0]

    async def documents(self):
        written = 0
        for writer in self.world.of(PlainWriter):
            version, data = await self.document(writer.path)
            versions = [one[1] for one in writer.answered]
            if versions != sorted(set(versions)):
                self.problem(f"{writer.path}: the versions of the answers do not rise: {versions}")
            if not len(writer.answered) <= version <= len(writer.answered) + len(writer.unknown):
                self.problem(f"{writer.path} has version {version}; {len(writer.answered)} writes were acknowledged, "
                             f"{len(writer.unknown)} may have been done: one is lost or doubled")
            last = writer.answered[-1][0] if writer.answered else 0
            allowed = {last} | {one for one in writer.unknown if one > last}
            if data is not None and data["value"] not in allowed:
                self.problem(f"{writer.path} has the value {data['value']}, not one of {sorted(allowed)}")
            written += version
        counters = self.world.of(Counter)
        version, data = await self.document(Counter.path)
        answered = {}
        for counter in counters:
            for one, by in counter.answered.items():
                if one in answered:
                    self.problem(f"version {one} of the counter was acknowledged to {by} and to {answered[one]}")
                answered[one] = by
        unknown = sum(len(counter.unknown) for counter in counters)
        if data is not None and data["n"] != version:
            self.problem(f"the counter says {data['n']} at version {version}: a guarded write went over another one")
        if not len(answered) <= version <= len(answered) + unknown:
            self.problem(f"the counter has version {version}; {len(answered)} were acknowledged, {unknown} may have been done")
        if version in answered and data is not None and data["by"] != answered[version]:
            self.problem(f"version {version} of the counter is by {data['by']}, and was acknowledged to {answered[version]}")
        self.counts["document writes"] = written + version + sum(len(one.written) for one in self.world.of(TaskWriter))

    # MARK: What each node's log says

    async def replays(self):
        """A fresh device at each node resumes from the start, or from as far back as a resume may reach, and must get what
        the devices got over all nodes."""
        pairs = [(user, node) for user in USERS for node in self.world.nodes]
        await asyncio.gather(*(self.replay(user, node) for user, node in pairs))
        self.counts["events"] = sum(map(len, self.events.values()))

    async def replay(self, user, node):
        device = Device(self.world, user, f"replay-{node.name}", 0)
        device.node, device.epoch, device.seq = node, self.world.devices_of(user)[0].epoch, self.world.start
        expected = self.events[user]
        if len(expected) > RESUMED_MAX:
            device.seq = expected[-RESUMED_MAX - 1]["seq"]
            expected = expected[-RESUMED_MAX:]
        ends = [event["seq"] for event in expected[SEGMENT - 1::SEGMENT]]
        for end in [*ends, None]:
            # What comes after a segment is asked for again with the next.
            task = asyncio.create_task(device.connect())
            try:
                async with asyncio.timeout(20):
                    while not (device.is_live or (end is not None and device.seq >= end) or task.done()):
                        await asyncio.sleep(0.02)
            except TimeoutError:
                self.problem(f"node {node.name}: a resume of {user} from {self.world.start} did not become live")
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                device.disconnected()
        self.compare(expected, device.events, f"{user}'s events on devices and from the log of node {node.name}")
