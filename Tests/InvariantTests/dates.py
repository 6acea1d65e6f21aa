"""Notifications by the clock: documents with a time in a zone or in each reader's zone, with a name from another document,
and digests of them. Computed separately from the server, with Python's time zones."""

import datetime
import zoneinfo

USERS = [f"u{number}" for number in range(5)]
# Hours apart, so that a document that is due in one is not nearly due in another.
ZONES = {"u0": "UTC", "u1": "UTC", "u2": "Europe/Rome", "u3": "America/New_York", "u4": "Asia/Tokyo"}
# These users want one digest of all dated notifications.
DIGESTED = ["u1", "u3"]
KIND = "dated"
FIXED = "Europe/Rome"

ROW = {
    "event": "create", "path": "dates/{date}", "kind": KIND, "at": "after->>'when'", "withdraw": "after IS NULL",
    "audience": ["followers:day:all", "user:u0"], "collapse": "date:{{date}}",
    "with": {"who": "names/{after.by}"}, "title": "{{after.title}}{{#who.name}} by {{who.name}}{{/who.name}}",
}
ROWS = {
    "dated-there": {**ROW, "condition": "after->>'clock' = 'recipient'", "clock": "recipient"},
    "dated-here": {**ROW, "condition": "after->>'clock' = 'fixed'", "clock": FIXED},
}
# Times that a clock shows twice, never, or in summer, and when they are (by the first of two, as far ahead as is skipped).
FAR = ["2027-10-31T02:30", "2027-03-28T02:30", "2027-07-01T12:00"]


def instant(when, zone):
    """When a clock in the zone shows the time; the first of two, and a skipped time is later by the skip."""
    return datetime.datetime.fromisoformat(when).replace(tzinfo=zoneinfo.ZoneInfo(zone)).timestamp()


def shown(time, zone):
    return datetime.datetime.fromtimestamp(time, zoneinfo.ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")


class Dates:
    """The writes of one writer, in order."""

    def __init__(self, chance):
        self.chance, self.names, self.documents, self.count = chance, {}, {}, 0

    def next(self, now):
        """The next write."""
        self.count += 1
        told = [path for path, one in self.documents.items() if one["alive"]]
        dice = self.chance.random()
        if dice < 0.2:
            user = self.chance.choice(USERS[:4])  # u4 has none
            self.names[user] = f"Name {self.count}"
            return {"op": "put", "path": f"names/{user}", "data": {"name": self.names[user]}}
        if told and dice < 0.35:
            path = self.chance.choice(told)
            self.documents[path]["alive"] = False
            return {"op": "delete", "path": path}
        by, title = self.chance.choice(USERS), f"Date {self.count}"
        clock = self.chance.choice(["recipient", "fixed"])
        if self.chance.random() < 0.1:
            clock, when = "fixed", self.chance.choice(FAR)
        else:
            zone = ZONES[self.chance.choice(USERS)] if clock == "recipient" else FIXED
            when = shown(now + self.chance.choice([-30, 1, 3]), zone)
        path = f"dates/{self.count}"
        name = self.names.get(by)
        self.documents[path] = {
            "alive": True, "when": when, "clock": clock, "title": title + (f" by {name}" if name else "")}
        return {"op": "put", "path": path, "data": {"title": title, "by": by, "clock": clock, "when": when}}

    def take_back(self, count):
        """Deletions of some existing documents, the newest ones."""
        standing = [path for path, one in self.documents.items() if one["alive"]][-count:]
        for path in standing:
            self.documents[path]["alive"] = False
        return [{"op": "delete", "path": path} for path in standing]

    def due(self, one, user):
        return instant(one["when"], ZONES[user] if one["clock"] == "recipient" else FIXED)

    def titles(self, user, now):
        """The notifications that the user has got and still has; sorted."""
        return sorted(one["title"] for one in self.documents.values() if one["alive"] and self.due(one, user) <= now)

    def schedules(self, now):
        """The times of notifications that are still to come in the one zone, by path."""
        return {path: round(self.due(one, "u0") * 1000) for path, one in self.documents.items()
                if one["alive"] and one["clock"] == "fixed" and self.due(one, "u0") > now}


def next_minute(now):
    """The next whole minute that is not too soon."""
    return (int(now + 2) // 60 + 1) * 60


def preferences(user, minute):
    """The user's preferences: a zone, and for some users a digest at that minute."""
    wanted = {"timeZone": ZONES[user]}
    if user in DIGESTED:
        wanted["digest"] = {KIND: "daily " + shown(minute, ZONES[user])[11:16]}
    return wanted


def digest_problems(user, listed):
    """The problem with the user's digest in the list of notifications."""
    problems = []
    digests = [one for one in listed if one["kind"] == "digest"]

    def position(id):
        return int(id[1:])

    if len(digests) > 1:
        problems.append(f"{user} has {len(digests)} digests")
    collected = [one for one in listed if one["kind"] == KIND]
    if any(one.get("reason") != "digest" for one in collected):
        problems.append(f"{user} was interrupted by what a digest collects")
    for digest in digests:
        standing, items = {one["id"] for one in collected}, digest["data"]["items"]
        gone = [id for id in items if id not in standing]
        if gone:
            problems.append(f"{user}'s digest tells of {gone}, which were taken back")
        newest = max(map(position, items))
        wanted = [one for one in collected if position(one["id"]) <= newest]
        if digest["data"]["count"] != len(wanted):
            problems.append(f"{user}'s digest counts {digest['data']['count']}, and {len(wanted)} are there")
    return problems
