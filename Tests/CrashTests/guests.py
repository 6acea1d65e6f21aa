"""Guests who are blocked and erased, and broadcasts that wait, beside the conversations of a crash test."""

import http.client
import json
import sqlite3
import threading
import time

from Trials import server

WORD = "erasableword"
ZONE, OFFSET = "Asia/Tokyo", 9 * 3600


class Caller(server.Caller):
    """Calls of one person, each repeated with its key until the server answers."""

    def ask(self, method, path, body=None):
        return super().ask(method, path, body, insists=True)

    def command(self, **command):
        return self.ask("POST", "/v1/commands", command)["ok"]


class Listener(threading.Thread):
    """A device of the host on `GET /v1/events`, which resumes after each loss."""

    def __init__(self, caller):
        super().__init__(daemon=True)
        self.caller, self.events, self.problems, self.stopped = caller, [], [], False

    def run(self):
        last = None
        while not self.stopped:
            connection = http.client.HTTPConnection("127.0.0.1", self.caller.server.port, timeout=2)
            headers = {"Authorization": f"Bearer {self.caller.token}"}
            if last:
                headers["Last-Event-ID"] = last
            try:
                connection.request("GET", "/v1/events?device=crash-1", None, headers)
                answer = connection.getresponse()
                place = None
                while answer.status == 200 and not self.stopped:
                    line = answer.readline().decode()
                    if not line:
                        break
                    if line.startswith("id:"):
                        place = line[3:].strip()
                    elif line.startswith("data:"):
                        self.take(json.loads(line[5:]))
                        last = place or last
            except (OSError, http.client.HTTPException, ValueError):
                pass
            finally:
                connection.close()
            time.sleep(0.05)

    def take(self, event):
        if event.get("type") == "reset":
            self.problems.append(f"{self.caller.user} was reset: {event}")
        if "seq" not in event or event["type"] in ("live", "beat"):
            return
        if self.events and event["seq"] <= self.events[-1]["seq"]:
            self.problems.append(f"{self.caller.user} got {event['seq']} after {self.events[-1]['seq']}")
        self.events.append(event)


class Visit(threading.Thread):
    """One host and one guest: they talk, the guest is blocked and let in again, broadcasts wait, and the guest is erased."""

    def __init__(self, server, number):
        super().__init__(daemon=True)
        self.server, self.number = server, number
        self.host, self.guest = Caller(server, f"host{number}"), Caller(server, f"visitor{number}x")
        self.admin = Caller(server, f"admin{number}", "admin")
        self.listener = Listener(self.host)
        self.titles = []
        self.problem = None

    def run(self):
        try:
            self.visit()
        except (RuntimeError, KeyError, ValueError) as error:
            self.problem = str(error)

    def visit(self):
        host, guest = self.host, self.guest
        topic = f"news:crash{self.number}"
        host.command(type="preferences", set={"timeZone": ZONE})
        host.command(type="follow", topic=topic)
        self.listener.start()
        for caller, other in ((host, guest), (guest, host)):
            caller.command(type="follow", topic=f"user:{other.user}")
        room = host.command(type="room.create", title="Films", members=[guest.user], key="room")["chat"]
        for number in range(60):
            text = f"{WORD} {self.number} {number}"
            place = {"to": host.user} if number % 2 else {"chat": room}
            guest.command(type="send", text=text, key=f"g{number}", **place)
        self.block()
        self.schedule(topic)
        erasure = self.admin.ask("DELETE", f"/v1/users/{guest.user}", {"messages": "redact"})
        while self.admin.ask("GET", f"/v1/erasures/{erasure['erasure']}")["state"] != "done":
            time.sleep(0.1)
        self.check_erased(room)
        time.sleep(4)
        self.check_broadcasts()
        self.listener.stopped = True
        if self.listener.problems:
            raise RuntimeError(self.listener.problems[0])

    def block(self):
        """Whatever is killed meanwhile, a block stands until it is taken back."""
        host, guest = self.host, self.guest
        host.command(type="block", user=guest.user, key="block")
        for number in range(12):
            status, answer = guest.insist("POST", "/v1/commands", {
                "type": "send", "to": host.user, "text": f"{WORD} never", "key": f"never{number}"})
            if status != 403 or answer.get("code") != "blocked":
                raise RuntimeError(f"{guest.user}, who is blocked, was answered with {status}: {answer}")
            time.sleep(0.15)
        host.command(type="unblock", user=guest.user, key="unblock")
        guest.command(type="send", to=host.user, text=f"{WORD} back", key="back")

    def schedule(self, topic):
        """Broadcasts to the host: at a moment, when the host's clock shows a time, and one that is cancelled."""
        for number in range(6):
            at = time.time() + 1 + number / 2
            form = "%Y-%m-%dT%H:%M:%S"
            text = time.strftime(form, time.gmtime(at + OFFSET)) if number % 2 else time.strftime(form + "Z", time.gmtime(at))
            title = f"Broadcast {self.number} {number}"
            audience = topic if number % 3 else f"user:{self.host.user}"
            status, answer = self.admin.insist("POST", "/v1/broadcasts", {"audience": audience, "title": title, "at": text})
            if status >= 300:
                # The request needed longer than the broadcast should have waited.
                if '"at"' in json.dumps(answer):
                    continue
                raise RuntimeError(f"{title} was answered with {status}: {answer}")
            if number == 5:
                self.admin.ask("DELETE", f"/v1/broadcasts/{answer['id']}")
                title = "-" + title
            self.titles.append(title)

    def check_broadcasts(self):
        """Each came once; the cancelled one never, or it was taken back."""
        for title in self.titles:
            got = [event for event in self.listener.events if event["type"] == "notification" and event["title"] == title.lstrip("-")]
            removed = {event["id"] for event in self.listener.events if event["type"] == "notification.removed"}
            if title.startswith("-"):
                if len(got) > 1 or any(event["id"] not in removed for event in got):
                    raise RuntimeError(f"{title[1:]} was cancelled, and came: {got}")
            elif len(got) != 1:
                raise RuntimeError(f"{title} came {len(got)} times: {got}")

    def check_erased(self, room):
        status, answer = self.guest.insist("POST", "/v1/commands", {"type": "chats"})
        if status not in (401, 403):
            raise RuntimeError(f"{self.guest.user}, who is erased, was answered with {status}: {answer}")
        for chat in [entry["chat"] for entry in self.host.command(type="chats")["chats"]]:
            for message in self.host.command(type="history", chat=chat, after=0, limit=200)["messages"]:
                if message["from"] != self.host.user and not message.get("deleted"):
                    raise RuntimeError(f"a message of {self.guest.user} is still there: {message}")
        # Lines of JSON, and so text.
        export = str(self.admin.insist("GET", f"/v1/users/{self.host.user}/export")[1])
        for word in (self.guest.user, f"{WORD} {self.number} "):
            if word in export:
                line = next(line for line in export.splitlines() if word in line)
                raise RuntimeError(f"the export of {self.host.user} has {word}: {line[:300]}")


def traces(data, visits):
    """What the tables still have of erased guests."""
    words = [visit.guest.user for visit in visits] + [WORD]
    database = sqlite3.connect(f"file:{data}/watchwise.db?mode=ro", uri=True)
    try:
        return [word for line in database.iterdump() for word in words if word in line]
    finally:
        database.close()
