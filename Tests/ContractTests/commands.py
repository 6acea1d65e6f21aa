"""Makes commands at random from the AsyncAPI document of a running server, right ones and wrong ones, and holds each answer
and each event against its schema there; see the script `run`.

A command that fits its schema is not refused as malformed, and one that breaks it is, with the name of the wrong field. The
rules that no schema has words for stand in rules.py. No answer is `internal`, and no connection ends unasked.
"""

import asyncio
import collections
import datetime
import itertools
import json
import random
import re
import urllib.request

import jsonschema
import jsonschema_rs
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import rules
from making import EMOJIS, KEYS, ZONES, Maker
from server import Server

SETTINGS = {
    "heartbeat": 1000, "profile": ["name"], "push-contact": "mailto:operator@example.org", "triggers": "film-network",
    "rules": {
        "users/{user}": {"read": "public", "write": "owner"}, "users/{user}/tasks/{task}": "owner",
        "stations/{id}": "public", "reviews/{id}": {"read": "public", "write": "field:author"}, "open/{id}": "anyone",
        "stations/{id}/readings/{reading}": "followers", "loans/{id}": {"read": ["field:member"], "write": "role:librarian"},
    },
}
PEOPLE = ["alice", "bob", "carol", "dave", "erin", "mallory", "zoe"]
# With two devices, that each event reaches more than one.
DEVICES = [(person, "phone") for person in PEOPLE] + [("alice", "laptop"), ("bob", "laptop")]
# The commands that need a session, and are not taken over HTTP.
OF_SESSIONS = {"hello", "presence", "focus", "watch", "unwatch", "device"}
# Not sent today.
UNSENT = {"drain"}


class Document:
    """The schemas of an AsyncAPI document, by the names of its messages."""

    def __init__(self, document):
        self.schemas = {name: message["payload"] for name, message in document["components"]["messages"].items()}
        self.checks = {
            name: jsonschema_rs.validator_for(schema, validate_formats=True) for name, schema in self.schemas.items()}
        self.commands = [name.removeprefix("command.") for name in self.schemas if name.startswith("command.")]
        self.events = {name.removeprefix("event.") for name in self.schemas if name.startswith("event.")}

    def has_key(self, name):
        schema = self.schemas[f"command.{name}"]
        return any("key" in form.get("properties", {}) for form in schema.get("anyOf", [schema]))

    def fits(self, name, value):
        return self.checks[name].is_valid(value)

    def problem(self, name, value):
        """The mistake in a value; nothing when it fits."""
        if name not in self.checks:
            return f"{name} is not in the document"
        if self.checks[name].is_valid(value):
            return None
        # It says more about a value that fits none of several forms.
        errors = jsonschema.Draft202012Validator(self.schemas[name]).iter_errors(value)
        error = jsonschema.exceptions.best_match(errors)
        return f"{list(error.absolute_path)}: {error.message[:300]}" if error else "its form"


class Session:
    """A connection of a device, whose reader holds every message against its schema."""

    def __init__(self, run, person, device):
        self.run = run
        self.person = person
        self.device = device
        self.waiting = {}
        self.last = 0
        self.closing = False
        self.close = None

    async def open(self, token=None, **fields):
        self.socket = await connect(
            f"ws://127.0.0.1:{self.run.server.port}/v1/ws", subprotocols=["watchwise.v1"], max_size=None, ping_interval=None)
        self.reader = asyncio.create_task(self.read())
        if token:
            return await self.ask({"id": "hello", "type": "hello", "token": token, "device": self.device, **fields})
        return None

    async def read(self):
        try:
            async for text in self.socket:
                self.take(json.loads(text))
        except ConnectionClosed:
            pass
        self.close = self.socket.close_code
        if not self.closing:
            self.run.find(f"the connection of {self.person} ended with {self.socket.close_code} {self.socket.close_reason}")
        for future in self.waiting.values():
            if not future.done():
                future.set_result(None)

    def take(self, message):
        if "re" in message:
            future = self.waiting.pop(json.dumps(message["re"]), None)
            if future is None:
                return self.run.find(f"a reply to nothing: {json.dumps(message)[:400]}")
            return future.set_result(message)
        name = message.get("type")
        self.run.events[name] += 1
        problem = self.run.document.problem(f"event.{name}", message)
        if problem:
            self.run.find(f"the event does not fit its schema: {problem}: {json.dumps(message)[:1500]}")
        if "seq" in message and name not in ("live", "beat", "documents"):
            if message["seq"] <= self.last:
                self.run.find(f"seq {message['seq']} came after {self.last}: {json.dumps(message)[:400]}")
            self.last = message["seq"]
        self.run.learn(message, self.person)

    async def ask(self, command):
        """Sends a command with an id, and returns its reply; nothing when the connection ended or none came in time."""
        future = asyncio.get_running_loop().create_future()
        self.waiting[json.dumps(command["id"])] = future
        await self.socket.send(json.dumps(command))
        try:
            return await asyncio.wait_for(future, 15)
        except TimeoutError:
            return None

    async def end(self):
        self.closing = True
        await self.socket.close()
        await self.reader


class Run:
    """One run from a seed."""

    def __init__(self, server, seed, count):
        self.server = server
        self.seed = seed
        self.count = count
        self.chance = random.Random(seed)
        self.document = Document(json.loads(server.get("/v1/asyncapi.json")))
        # A key may have been used before.
        self.states = {
            name: rules.STATES.get(name, []) + ["key-reused"] * self.document.has_key(name)
            for name in self.document.commands}
        self.events = collections.Counter()
        self.answers = collections.defaultdict(collections.Counter)
        self.findings = []
        self.number = 0
        self.keys = []
        self.operator = server.operator("admin")
        self.tokens = {person: server.token(person) for person in PEOPLE}
        pairs = [":".join(pair) for pair in itertools.combinations(sorted(PEOPLE), 2)]
        self.chats = collections.deque(pairs[:6] + ["room:none"], maxlen=14)
        self.cursors = collections.deque(["1", "5", "movie:603"], maxlen=20)
        self.notes = collections.deque(["n1", "n999999999"], maxlen=12)
        self.epoch = ["e-0"]
        # The things of each person: chats to be in, notifications in the inbox, messages written.
        self.own = {
            person: {name: collections.deque(maxlen=12) for name in ("chat", "ids", "written")} for person in PEOPLE}
        self.known = self.meanings()
        self.maker = Maker(self.chance, self.known)

    def meanings(self):
        """Values that mean something to this server, by the names of members."""
        people = PEOPLE + ["nobody"]
        topics = ["user:" + person for person in PEOPLE] + ["movie:603", "station:114", "person:525"]
        paths = [f"users/{person}/tasks/1" for person in PEOPLE[:3]] + [f"users/{person}" for person in PEOPLE[:3]] + [
            "stations/114", "reviews/1", "open/1", "loans/1", "movies/603/followers/alice", "chats/alice:bob/messages/1",
            "people/525/credits/movie/603",
        ]
        self.paths = paths
        return {
            "to": people, "user": people, "from": people, "members": people, "watch": people,
            "topic": topics, "n": [1, 2, 3, 4, 5], "replyTo": [1, 2], "rev": [1, 1, 2], "epoch": self.epoch, "seq": [0, 1, 50], "upTo": [0, 1, 20],
            "emoji": EMOJIS, "q": ["tonight", "film", "λαμψη", '"a tab"', "映画"], "pace": [0, 0, 1],
            "endpoint": ["https://push.example.org/1", "https://push.example.org/2"], "p256dh": [KEYS["p256dh"]],
            "auth": [KEYS["auth"]], "open": ["https://app.example.org/"], "timeZone": ZONES,
            "locale": ["it", "en", "el-GR", "pl"], "ifVersion": [0, 1, 2], "before": self.cursors, "after": self.cursors,
            "device": ["tv", "watch"], "remove": ["tv", "phone"], "until": [self.later(hours) for hours in (1, 24, 2400)],
        }

    @staticmethod
    def later(hours):
        """A time ahead."""
        time = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=hours)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ")

    def find(self, what):
        self.findings.append(f"command {self.number}: {what}")

    def learn(self, message, person):
        """Keeps what later commands may name."""
        chat, own = message.get("chat"), self.own[person]
        if isinstance(chat, str):
            for chats in (self.chats, own["chat"]):
                if chat not in chats:
                    chats.append(chat)
        if message.get("type") == "notification" and "seq" in message:
            self.notes.append(message["id"])
            own["ids"].append(message["id"])
        if message.get("type") == "message" and message["from"] == person and "text" in message:
            own["written"].append((chat, message["n"]))

    # One command

    def right(self, name, person="zoe"):
        """A command that fits its schema, and mostly names what the person has."""
        schema = self.document.schemas[f"command.{name}"]
        self.known["chat"] = self.own[person]["chat"] if self.chance.random() < 0.7 else self.chats
        if name.startswith("room."):
            self.known["chat"] = [chat for chat in self.known["chat"] if chat.startswith("room:")]
        self.known["ids"] = self.known["notification"] = (
            self.own[person]["ids"] if self.chance.random() < 0.7 else self.notes)
        self.known["path"] = (
            [f"users/{person}/tasks/1", f"users/{person}"] if self.chance.random() < 0.5 else self.paths)
        for _ in range(200):
            made = self.maker.make(schema)
            made["id"] = self.identifier()
            if "key" in made and made["key"] is not None:
                made["key"] = self.key()
            if name in ("edit", "delete", "react") and self.own[person]["written"] and self.chance.random() < 0.6:
                made["chat"], made["n"] = self.chance.choice(self.own[person]["written"])
            if isinstance(made.get("data"), dict):
                made["data"] = self.chance.choice(
                    [{}, {"author": "alice", "stars": 4}, {"title": "x", "tags": ["a", None], "deep": {"b": 1.5}}])
            if self.document.fits(f"command.{name}", made):
                return made
        raise ValueError(f"no command fits the schema of {name}")

    def identifier(self):
        self.number += 1
        return self.chance.choice([self.number, f"c{self.number}", self.number + 0.5])

    def key(self):
        """A new key, or one that was used before."""
        if self.keys and self.chance.random() < 0.08:
            return self.chance.choice(self.keys[-50:])
        self.keys.append(f"k{self.number}")
        return self.keys[-1]

    def wrong(self, name, person="zoe"):
        """A command with one mistake, with its place and what is wrong; nothing where the command has no field."""
        schema = self.document.schemas[f"command.{name}"]
        command = self.right(name, person)
        for _ in range(50):
            broken = self.maker.break_one(schema, command)
            if not broken:
                return None
            path, what, made = broken
            if not self.document.fits(f"command.{name}", made):
                return path, what, made
            command = self.right(name, person)
        return None

    async def one(self, sessions, name):
        """Sends one command, and judges the answer."""
        session = self.chance.choice(sessions)
        if name.startswith("room.") and self.chance.random() < 0.5:
            # Alice owns the rooms.
            session = next(session for session in sessions if session.person == "alice")
        broken = self.wrong(name, session.person) if self.chance.random() < 0.4 else None
        command = broken[2] if broken else self.right(name, session.person)
        if name == "hello":
            return await self.hello(session, command, broken)
        if self.chance.random() < 0.02:
            # Without an id there is no reply; the ping shows that nothing else was answered.
            await session.socket.send(json.dumps({key: value for key, value in command.items() if key != "id"}))
            reply = await session.ask({"id": self.identifier(), "type": "ping"})
            return None if reply else self.find(f"{json.dumps(command)} without an id was answered, or ended all")
        if name not in OF_SESSIONS and self.chance.random() < 0.1:
            reply = await asyncio.to_thread(self.post, session.person, command)
        else:
            reply = await session.ask(command)
        self.judge(session, name, command, reply, broken)
        return None

    def post(self, person, command):
        """Sends a command over HTTP, and returns the answer as a reply."""
        status, answer = self.server.ask("POST", "/v1/commands", command, self.tokens[person])
        if status == 200:
            return answer
        return {"re": command["id"], "error": {
            name: value for name, value in answer.items() if name not in ("type", "title", "status", "detail", "request")}}

    async def hello(self, session, command, broken):
        """A hello on a connection of its own, which may end."""
        if not broken:
            # No device of the others, which it would replace.
            command["device"] = command.get("device") or "other"
            if "token" in command:
                command["token"] = self.tokens[session.person]
        other = Session(self, session.person, None)
        await other.open()
        reply = await other.ask(command)
        other.closing = True
        self.judge(other, "hello", command, reply, broken)
        await other.end()

    def judge(self, session, name, command, reply, broken):
        def find(what):
            shown = json.dumps(command, ensure_ascii=False)
            self.find(f"{what}\n  {session.person} sent {shown[:1500]}\n  and got {json.dumps(reply)[:1500]}")

        if reply is None:
            self.answers[name]["none"] += 1
            return find("there was no reply")
        error = reply.get("error", {})
        code = error.get("code", "ok")
        self.answers[name][code] += 1
        self.answers[name]["wrong" if broken else "right"] += 1
        problem = self.document.problem(f"reply.{name}", reply)
        if problem:
            find(f"the reply does not fit its schema: {problem}")
        if broken:
            path, what, _ = broken
            if code != "bad-request":
                return find(f"{path} is wrong ({what}), and was not refused as that")
            # Another field may be wrong as well, in a way that no schema says.
            if not self.names(error, path, what, name) and not self.excuse(session.person, command, error):
                return find(f"{path} is wrong ({what}), and the refusal names {error.get('field')}")
            return None
        if code == "ok":
            return self.learn_answer(reply["ok"], session.person)
        if code in self.states[name] or (code == "bad-request" and self.excuse(session.person, command, error)):
            return None
        return find(f"it fits its schema, and was refused with {code}")

    @staticmethod
    def excuse(person, command, error):
        """Whether the command breaks a rule that no schema says."""
        return rules.is_broken(command, person, error.get("field", ""), error.get("message", ""))

    def names(self, error, path, what, name):
        """Whether the field of a refusal is the wrong one, or lies above or below it, or decides what is wrong."""
        field = re.sub(r"\[(\d+)\]", r".\1", error.get("field", ""))
        if not field:
            return False
        if (field + ".").startswith(path + ".") or (path + ".").startswith(field + "."):
            return True
        return rules.decides(self.document.schemas[f"command.{name}"], path, what, field, error["message"])

    def learn_answer(self, answer, person):
        self.learn(answer, person)
        if answer.get("next"):
            self.cursors.append(answer["next"])
        for note in answer.get("notifications", []):
            self.notes.append(note["id"])
        for room in answer.get("rooms", []):
            self.learn(room, person)

    # The others

    async def prepare(self, of):
        """Brings the people to where most commands lead to something: again and again, since commands undo it."""
        follows = [("bob", "alice"), ("alice", "bob"), ("carol", "alice"), ("erin", "bob"), ("mallory", "bob")]
        steps = [(who, {"type": "unblock", "user": whom}) for who, whom in itertools.permutations(PEOPLE[:5], 2)]
        steps += [(who, {"type": "follow", "topic": "user:" + whom}) for who, whom in follows]
        steps += [(who, {"type": "follow", "topic": "movie:603"}) for who in ("alice", "carol")]
        steps += [
            (who, {"type": "send", "to": whom, "text": "A film tonight?", "key": f"p{self.number}{who}"})
            for who, whom in follows]
        steps += [("alice", {"type": "block", "user": "mallory"}), ("alice", {"type": "preferences", "set": {
            "quietHours": None, "mute": None, "digest": None, "kinds": None, "levels": None, "presence": "contacts",
            "invites": "contacts"}})]
        steps += [("alice", {"type": "watch", "path": "stations"}), ("bob", {"type": "watch", "path": "users/alice"})]
        for is_open in (False, True):
            steps.append(("alice", {
                "type": "room.create", "title": "Films", "members": ["bob", "carol", "dave"], "open": is_open,
                "key": f"r{self.number}{is_open}"}))
        for who, command in steps:
            self.number += 1
            reply = await of[who].ask({"id": self.number, **command})
            if reply is None or ("ok" not in reply and reply["error"]["code"] not in self.states[command["type"]]):
                return self.find(f"{who} could not be prepared: {json.dumps(command)} got {json.dumps(reply)}")
            if command["type"] != "room.create" or "ok" not in reply:
                continue
            self.learn(reply["ok"], who)
            for more in ({"type": "send", "text": "Welcome", "key": f"m{self.number}"},
                         {"type": "room.role", "user": "bob", "role": "moderator"}):
                self.number += 1
                await of["alice"].ask({"id": self.number, "chat": reply["ok"]["chat"], **more})
        return None

    def administer(self):
        """One call of an administrator, that the events which users do not cause come, too."""
        method, path, body = self.chance.choice([
            ("POST", "/v1/broadcasts", {"audience": "everyone", "title": {"en": "Hi", "it": "Ciao"}, "collapse": "hi"}),
            ("POST", "/v1/broadcasts", {"audience": "user:alice", "title": "For Alice", "level": "critical"}),
            ("POST", "/v1/broadcasts", {"audience": "movie:603", "body": "New", "data": {"movie": 603}}),
            ("PUT", "/v1/documents/stations/114", {"aqi": self.chance.randint(0, 500)}),
            ("PATCH", "/v1/documents/users/alice", {"name": self.chance.choice(["Alice", "Al"])}),
            ("DELETE", "/v1/documents/stations/114", None),
            ("PUT", "/v1/users/dave/restrictions", {"kind": "mute", "reason": "spam", "until": None}),
            ("DELETE", "/v1/users/dave/restrictions", None),
            ("GET", "/v1/reports", None),
        ])
        status, answer = self.server.ask(method, path, body, self.operator)
        if status >= 500 or status == 400:
            self.find(f"{method} {path} answered {status} {answer}")

    async def online(self):
        """A broadcast for those who are online, taken back."""
        body = {"audience": "online", "title": "Now", "expires": self.later(0.5)}
        status, answer = self.server.ask("POST", "/v1/broadcasts", body, self.operator)
        if status != 202:
            return self.find(f"the broadcast to those online was answered {status} {answer}")
        await asyncio.sleep(0.3)
        self.server.ask("DELETE", f"/v1/broadcasts/{answer['id']}", token=self.operator)
        return None

    async def strangers(self):
        """Every command before a hello: a right one is unauthenticated, a wrong one a bad request."""
        for name in self.document.commands:
            if name == "hello":
                continue
            session = Session(self, "nobody", None)
            await session.open()
            for broken in (None, self.wrong(name)):
                command = broken[2] if broken else self.right(name)
                reply = await session.ask(command)
                code = (reply or {}).get("error", {}).get("code")
                wanted = "bad-request" if broken else "unauthenticated"
                if broken and code == "unauthenticated" and (
                        broken[0] in ("before", "after") or broken[0].startswith("set.")):
                    # The server looks at a cursor when it reads for somebody, and into preferences when it changes them.
                    continue
                if code != wanted and not (code == "bad-request" and self.excuse("nobody", command, reply["error"])):
                    self.find(f"before a hello, {json.dumps(command)[:500]} got {json.dumps(reply)[:500]}")
            await session.end()

    async def no_commands(self, session):
        """Texts that are no command."""
        for text in ["", "[]", "null", '{"id":1', '{"id":1,"id":2,"type":"ping"}', '{"id":{},"type":"ping"}', '{"id":1,"type":7}',
                     '{"id":1,"type":"ping","a":' + "[" * 17 + "]" * 17 + "}", '{"id":1,"type":"ping","a":"\\ud800"}']:
            wanted = json.loads('1' if text.startswith('{"id":1') else 'null')
            future = asyncio.get_running_loop().create_future()
            session.waiting[json.dumps(wanted)] = future
            await session.socket.send(text)
            reply = await asyncio.wait_for(future, 15)
            if reply is None or reply["error"]["code"] != "bad-request":
                self.find(f"{text[:80]} was answered {json.dumps(reply)}")
        self.number += 1
        reply = await session.ask({"id": self.number, "type": "dance"})
        if reply is None or reply["error"]["code"] != "unknown-command":
            self.find(f"an unknown command was answered {json.dumps(reply)}")

    def stream(self):
        """The events of a stream without a token, which begins with the documents that it watches."""
        self.server.ask("PUT", "/v1/documents/open/1", {"a": 1}, self.operator)
        with urllib.request.urlopen(self.server.url + "/v1/events?inbox=off&watch=open", timeout=10) as stream:
            for line in stream:
                if not line.startswith(b"data:"):
                    continue
                event = json.loads(line[5:])
                self.events[event["type"]] += 1
                problem = self.document.problem(f"event.{event['type']}", event)
                if problem:
                    self.find(f"the event of a stream does not fit its schema: {problem}: {event}")
                if event["type"] == "live":
                    return

    async def rest(self, sessions):
        """Events that commands alone do not cause: expiring tokens, resumes that reset, an erased person, a server that stops."""
        short = Session(self, "zoe", "watch")
        await short.open(self.server.token("zoe", seconds=2))
        back = Session(self, "zoe", "radio")
        await back.open(self.tokens["zoe"], since={"epoch": "e-other", "seq": 1})
        # A watch that only followers may have ends with the follow.
        for place, command in enumerate((
                {"type": "follow", "topic": "station:114"}, {"type": "watch", "path": "stations/114/readings"},
                {"type": "unfollow", "topic": "station:114"})):
            reply = await back.ask({"id": f"w{place}", **command})
            if "ok" not in (reply or {}):
                self.find(f"{command} was answered {reply}")
        await asyncio.sleep(0.5)
        short.closing = True
        await back.end()
        status, answer = self.server.ask("DELETE", "/v1/users/erin", {"reason": "asked"}, self.operator)
        if status != 202:
            self.find(f"the erasure was answered {status} {answer}")
        for session in sessions:
            session.closing = session.closing or session.person == "erin"
        await asyncio.sleep(3)
        await short.end()
        for session in sessions:
            session.closing = True

    async def play(self):
        sessions = []
        for person, device in DEVICES:
            session = Session(self, person, device)
            reply = await session.open(self.tokens[person])
            problem = self.document.problem("reply.hello", reply)
            if problem:
                self.find(f"the reply to hello does not fit its schema: {problem}: {reply}")
            self.epoch[0] = reply["ok"]["epoch"]
            sessions.append(session)
        of = {session.person: session for session in reversed(sessions)}
        names = []
        for sent in range(self.count):
            if sent % 300 == 0:
                await self.prepare(of)
            if sent % 25 == 0:
                self.administer()
            if not names:
                names = self.chance.sample(self.document.commands, len(self.document.commands))
            await self.one(sessions, names.pop())
            if len(self.findings) > 40:
                break
        await self.strangers()
        await self.no_commands(of["zoe"])
        await self.online()
        self.stream()
        await self.rest(sessions)
        return sessions

    # The end

    def report(self):
        """Prints the table, and returns the findings."""
        codes = sorted({code for counts in self.answers.values() for code in counts} - {"right", "wrong", "ok"})
        print("command".ljust(16) + "".join(word.rjust(max(6, len(word) + 1)) for word in ["right", "wrong", "ok"] + codes))
        for name in self.document.commands:
            counts = self.answers[name]
            print(name.ljust(16) + "".join(
                str(counts[word] or "").rjust(max(6, len(word) + 1)) for word in ["right", "wrong", "ok"] + codes))
        print("events: " + ", ".join(f"{name} {count}" for name, count in sorted(self.events.items())))
        # In a short run chance may leave some out.
        if self.count >= 10_000 and len(self.findings) <= 40:
            for name in self.document.commands:
                if not self.answers[name]["ok"]:
                    self.findings.append(f"{name} was never answered ok")
            for name in sorted(self.document.events - UNSENT - set(self.events)):
                self.findings.append(f"the event {name} never came")
        return self.findings


def hold(binary, quick, seed):
    """Runs the commands of a seed against a server of their own.

    Returns:
        The findings, each with the command and how to repeat it.
    """
    count = 1000 if quick else 10_000
    print(f"commands: {count} from the seed {seed}", flush=True)
    server = Server(binary, settings=SETTINGS)
    run = Run(server, seed, count)

    async def whole():
        await run.play()
        # The sessions that are left hear of the stop, before the loop ends with them.
        ended = await asyncio.to_thread(server.end_well, keep_log)
        await asyncio.sleep(0.2)
        return ended

    def keep_log(log):
        if log:
            run.find(f"the log has errors: {log[:2000]}")

    try:
        ended = asyncio.run(whole())
    finally:
        server.end()
    findings = run.report()
    if not ended:
        findings.append("the server did not end well")
    if findings:
        findings.append(f"repeat: Tests/ContractTests/run --commands --seed {seed}" + (" --quick" if quick else ""))
    return findings
