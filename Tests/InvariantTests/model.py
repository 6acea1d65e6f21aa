"""The required results of a trigger table, computed by short rules: separate from the server, and simple rather than fast."""

import re
from collections import defaultdict

LEVELS = ["passive", "active", "time-sensitive", "critical"]


def field(document, name):
    return None if document is None else document.get(name)


# Expressions as SQLite reads them, and as Python does. `b` and `a` are the document before and after, `n` the names.
CONDITIONS = {
    "": lambda b, a, n: True,
    "after->>'v' >= 3": lambda b, a, n: a is not None and a["v"] >= 3,
    "after->>'v' > before->>'v'": lambda b, a, n: a is not None and b is not None and a["v"] > b["v"],
    "coalesce(before->>'v', 0) <> coalesce(after->>'v', 0)": lambda b, a, n: (field(b, "v") or 0) != (field(a, "v") or 0),
    "after->>'tag' = 'a' OR after IS NULL": lambda b, a, n: a is None or a["tag"] == "a",
    "id = '2' OR id = '3'": lambda b, a, n: n["id"] in "23",
}
WITHDRAWALS = {
    "after IS NULL": lambda b, a, n: a is None,
    "after->>'v' = 0": lambda b, a, n: a is not None and a["v"] == 0,
    "after->>'v' < before->>'v'": lambda b, a, n: a is not None and b is not None and a["v"] < b["v"],
}
REARMS = {
    "after->>'v' <= 1": lambda b, a, n: a is not None and a["v"] <= 1,
}
AUDIENCES = [
    ["user:{after.who}"], ["user:u0"], ["followers:thing:{id}"], ["followers:thing:{after.topic}"],
    ["followers:thing:{id}", "followers:thing:{after.topic}"],
    ["followers:thing:{after.topic}", "user:{after.who}", "followers:thing:{id}", "user:u0"],
]
PATHS = ["things/{id}", "things/2", "things/{id}/parts/{part}"]
COLLAPSES = [None, "one", "of-{{id}}", "of-{{id}}-{{after.tag}}"]


def match(pattern, path):
    """The names of a path, or None."""
    names, wanted, found = {}, pattern.split("/"), path.split("/")
    if len(wanted) != len(found):
        return None
    for one, other in zip(wanted, found):
        if one.startswith("{"):
            names[one[1:-1]] = other
        elif one != other:
            return None
    return names


def random_trigger(chance, name):
    path = chance.choice(PATHS)
    row = {
        "name": name, "path": path, "event": chance.choice(["create", "update", "write", "write", "delete"]),
        "condition": chance.choice([one for one in CONDITIONS if "{id}" in path or not one.startswith("id")]),
        "audience": chance.choice([one for one in AUDIENCES if "{id}" in path or "{id}" not in str(one)]),
        "level": chance.choice(LEVELS), "title": "{{after.title}}{{before.title}}", "enabled": chance.random() < 0.9,
        "collapse": chance.choice([one for one in COLLAPSES if "{id}" in path or not one or "{{id}}" not in one]),
        "withdraw": chance.choice([None, *WITHDRAWALS]), "rearm": chance.choice([None, None, *REARMS]),
    }
    if row["event"] == "delete" and "after." in str(row["audience"]):
        row["audience"] = ["user:u1"]
    if len(row["audience"]) == 1 and chance.random() < 0.5:
        row["audience"] = row["audience"][0]
    row["alertOnce"] = row["collapse"] is not None and chance.random() < 0.5
    row["acrossTopics"] = row["collapse"] is not None and chance.random() < 0.4
    return row


class Failure(Exception):
    """A trigger that cannot be evaluated for a change: its effects are undone."""


class Model:
    def __init__(self):
        self.documents, self.triggers, self.armed_not = {}, {}, set()
        self.follows = {}          # (user, topic): position since when
        self.notifications = []    # dictionaries, in the order in which they came
        self.standing = defaultdict(dict)    # those not removed, under each of their keys(): by number
        self.dead = []

    def write(self, seq, path, after):
        """A change that the server has put at position `seq`; `after` is None for a deletion."""
        before = self.documents.get(path)
        self.documents[path] = after
        event = "create" if before is None else "delete" if after is None else "update"
        watching = [row for name, row in sorted(self.triggers.items())
                    if row["enabled"] and match(row["path"], path) is not None]
        if event == "delete":
            self.armed_not = {one for one in self.armed_not if one[1] != path}
        for row in watching:
            try:
                self.run(row, event, seq, path, before, after)
            except Failure:
                self.dead.append((row["name"], path, seq))
        if event == "update":
            # The notifications of new documents follow their documents.
            for row in watching:
                if row["event"] == "create":
                    for one in self.found(("made by", row["name"], path)):
                        one["title"] = field(after, "title") or ""

    def run(self, row, event, seq, path, before, after):
        """All that can fail comes first: a trigger that fails changes nothing."""
        me, names = (row["name"], path), match(row["path"], path)
        is_armed_not = row["rearm"] and me in self.armed_not and not REARMS[row["rearm"]](before, after, names)
        is_fired = (row["event"] in (event, "write") and CONDITIONS[row["condition"]](before, after, names)
                    and not is_armed_not)
        resolved = self.resolve(row, names, after) if is_fired else None
        if row["withdraw"] and WITHDRAWALS[row["withdraw"]](before, after, names):
            for one in self.found(("made by", *me)):
                self.remove(one, "retracted")
        if row["rearm"] and not is_armed_not:
            self.armed_not.discard(me)
        if is_fired:
            self.notify(row, seq, path, before, after, *resolved)
            if row["rearm"] and event != "delete":
                self.armed_not.add(me)

    @staticmethod
    def keys(one):
        """The keys by which a notification is found: a long run has too many to read all of them for each write."""
        yield "made by", one["trigger"], one["path"]
        if one["collapse"]:
            yield from (("collapse", topic, one["collapse"]) for topic in one["topics"])
        if one["across"]:
            yield "across", one["trigger"], one["collapse"]

    def add(self, one):
        one["number"] = len(self.notifications)
        self.notifications.append(one)
        for key in self.keys(one):
            self.standing[key][one["number"]] = one

    def remove(self, one, reason):
        one["removed"] = reason
        for key in self.keys(one):
            del self.standing[key][one["number"]]

    def found(self, *keys):
        """The notifications under any of the keys that are not removed: each once, in the order in which they came."""
        by_number = {number: one for key in keys for number, one in self.standing[key].items()}
        return [by_number[number] for number in sorted(by_number)]

    @staticmethod
    def resolve(row, names, after):
        """The audiences and the collapse key; an audience whose member is missing is nobody, and it fails where all are."""
        def value(reference):
            name = reference[1]
            if not name.startswith("after."):
                return names[name]
            if field(after, name[6:]) is None:
                raise Failure()
            return str(after[name[6:]])

        patterns = row["audience"] if isinstance(row["audience"], list) else [row["audience"]]
        audiences = []
        for one in patterns:
            try:
                audiences.append(re.sub(r"\{([^}]+)\}", value, one))
            except Failure:
                continue
        if not audiences:
            raise Failure()
        audiences = list(dict.fromkeys(audiences))
        collapse = row["collapse"] and re.sub(
            r"\{\{([^}]+)\}\}", lambda r: value(r) if not r[1].startswith("after.") or after else "", row["collapse"])
        return audiences, collapse

    def notify(self, row, seq, path, before, after, audiences, collapse):
        people = [one for one in audiences if one.startswith("user:")]
        topics = [one.removeprefix("followers:") for one in audiences if one.startswith("followers:")]
        title = (field(after, "title") or "") + (field(before, "title") or "")
        # One for each named person, and one for the followers of all topics, without the named ones.
        for where, apart in [*(([one], []) for one in people), *([(topics, people)] if topics else [])]:
            silence = None
            told = self.told(row, where, collapse) if where is topics and row["acrossTopics"] else set()
            for one in self.found(*(("collapse", topic, collapse) for topic in where if collapse)):
                self.remove(one, "replaced")
                # The updated notification is the newest under its first topic.
                is_lower = LEVELS.index(row["level"]) <= LEVELS.index(one["level"])
                if where[0] in one["topics"]:
                    silence = "updated" if row["alertOnce"] and row["level"] != "passive" and is_lower else None
            self.add({
                "trigger": row["name"], "change": seq, "topic": where[0], "topics": where, "apart": apart,
                "collapse": collapse, "level": row["level"], "path": path, "title": title, "removed": None,
                "silence": silence, "told": told, "across": where is topics and row["acrossTopics"],
                "told users": {user for user, topic in self.follows if topic in told},
            })

    def told(self, row, topics, collapse):
        """Other topics through which the row has already notified of the same; a replacement goes to those who had the first."""
        told = set()
        for one in self.found(("across", row["name"], collapse)):
            if set(one["topics"]) & set(topics):
                return one["told"] - set(topics)
            told |= set(one["topics"])
        return told

    def put_trigger(self, name, row):
        """A new row forgets the state of the earlier one, unless it is the same."""
        if self.triggers.get(name) != row:
            self.armed_not = {one for one in self.armed_not if one[0] != name}
        self.triggers[name] = row

    def follow(self, seq, user, topic, is_on):
        if is_on:
            self.follows.setdefault((user, topic), seq)
        else:
            self.follows.pop((user, topic), None)

    def inbox(self, user):
        """The notifications of a user: the own ones, and those of followed topics since each follow."""
        me = f"user:{user}"
        return [
            one for one in self.notifications
            if not one["removed"] and me not in one["apart"] and user not in one["told users"] and any(
                topic == me or one["change"] > self.follows.get((user, topic), 1 << 60) for topic in one["topics"])]
