"""The rules of commands that no schema has words for, and the refusals that depend on what was written before.

A rule looks at the very command: a refusal as malformed is right when the field that it names breaks the rule that it names.
"""

import datetime
import re
import urllib.parse

import making

# Where an id has two parts.
COMPOUND = ("movie", "tv")
LEVELS_MAX = 8
WORDS_MAX = 16
WHOLE_MAX = 2**53
# Refusals that say nothing about the form of a command, by command. A command with a key may be `key-reused`, too.
STATES = {
    "hello": ["unauthenticated"], "recommend": ["forbidden", "blocked", "rate-limited"],
    "send": ["forbidden", "blocked", "not-found", "rate-limited"],
    "edit": ["forbidden", "blocked", "not-found", "conflict"], "delete": ["forbidden", "not-found"],
    "react": ["forbidden", "blocked", "not-found", "too-many"], "read": ["forbidden", "not-found"],
    "archive": ["forbidden", "not-found"], "typing": ["forbidden", "blocked", "not-found", "rate-limited"],
    "history": ["forbidden", "not-found"], "room.create": ["forbidden", "rate-limited"], "room.update": ["forbidden"],
    "room.invite": ["forbidden"], "room.join": ["forbidden"], "room.leave": ["forbidden"],
    "room.accept": ["forbidden"], "room.decline": ["forbidden"],
    "room.remove": ["forbidden", "not-found"], "room.role": ["forbidden", "not-found", "conflict"],
    "room.mute": ["forbidden", "not-found"], "room.members": ["forbidden"],
    "search": ["forbidden", "not-found", "rate-limited"], "follow": ["forbidden", "blocked", "rate-limited"],
    "followers": ["blocked"], "block": ["rate-limited"],
    "report": ["forbidden", "not-found", "rate-limited"], "notification": ["not-found"], "seen": ["not-found"],
    "snooze": ["not-found"], "get": ["not-found"], "put": ["forbidden", "conflict"], "patch": ["forbidden", "conflict"],
    "remove": ["forbidden", "conflict", "not-found"], "watch": ["forbidden", "not-found", "conflict"],
}


def is_chat(text):
    """The ids of a pair are sorted and differ, and nobody is called room."""
    if re.fullmatch(r"room:[A-Za-z0-9_.@-]{1,64}", text):
        return True
    first, _, second = text.partition(":")
    return first.encode() < second.encode() and "room" not in (first, second)


def is_path(text, may_be_collection):
    """No part is empty, . or .., and an id follows each collection; an id of two parts lies in a collection other than users."""
    parts = text.split("/")
    if {"", ".", ".."} & set(parts):
        return False
    levels = 0
    while parts:
        collection, parts = parts[0], parts[1:]
        levels += 1
        if not parts:
            return may_be_collection and levels <= LEVELS_MAX
        parts = parts[2 if parts[0] in COMPOUND and collection != "users" and len(parts) > 1 else 1:]
    return levels <= LEVELS_MAX


def time(text):
    return datetime.datetime.fromisoformat(text)


def now():
    return datetime.datetime.now(datetime.UTC)


def has_too_many_words(text):
    """A sign of Han, Kana or Hangul is a word of its own."""
    signs = r"[\u2e80-\u9fff\uac00-\ud7af]"
    return len(re.findall(signs, text)) + len(re.findall(r"[^\W_]+", re.sub(signs, " ", text))) > WORDS_MAX


def is_address(text, schemes):
    try:
        parts = urllib.parse.urlsplit(text)
        return parts.scheme in schemes and parts.hostname and "@" not in parts.netloc and "#" not in text
    except ValueError:
        return False


# Of which commands, which field, and the words after it, as patterns; whether the command breaks the rule, from its value
# there, the whole command, the person, and the groups of the words.
RULES = [
    (".*", "chat", "must be the two user ids sorted and joined by ':' or room:ID", lambda value, *_: not is_chat(value)),
    ("get|put|patch|remove", "path", "is not a document path: .*", lambda value, *_: not is_path(value, False)),
    ("watch|unwatch", "path", "is neither a document nor a collection: .*", lambda value, *_: not is_path(value, True)),
    ("follow|unfollow", "topic", "must not be yourself", lambda value, command, person: value == f"user:{person}"),
    ("send|recommend", "to", "must be another user", lambda value, command, person: value == person),
    ("block|unblock|report", "user", "must be another user", lambda value, command, person: value == person),
    ("room[.](remove|role|mute)", "user", "must be another member.*", lambda value, command, person, *_: value == person),
    ("read", "n", r"must be at most (\d+), the chat's newest message", lambda value, command, person, n: value > int(n)),
    # The messages of a room before one's joining do not exist for one.
    ("send", "replyTo", r"is not a message of this chat, which has (\d+)",
     lambda value, command, person, n: value > int(n) or str(command.get("chat")).startswith("room:")),
    ("report", "n", r"is no message of (\S+)", lambda value, command, person, user: command["user"] == user),
    ("seen", "upTo", r"must be at most (\d+), the newest position", lambda value, command, person, seq: value > int(seq)),
    ("snooze", "until", r"must be a time in the future, (\S+) at the latest",
     lambda value, command, person, last: not now() < time(value) <= time(last)),
    ("room[.](mute|remove)", "until", "must be later than now.*", lambda value, *_: time(value) <= now()),
    ("room[.]remove", "until", "is the end of a ban: it needs ban", lambda value, command, *_: not command.get("ban")),
    ("search", "q", f"must have at most {WORDS_MAX} words", lambda value, *_: has_too_many_words(value)),
    ("search", "q", "must have a letter, a digit or a sign to look for", lambda value, *_: not re.search(r"[^\W_]", value)),
    ("react", "emoji", r"must be one emoji of at most \d+ bytes", lambda value, *_: value not in making.EMOJIS),
    ("device", "platform", "(apns|fcm) is not offered by this server: .*",
     lambda value, command, person, platform, *_: value == platform),
    ("device", "subscription[.]endpoint", "must be an https address without user and fragment",
     lambda value, *_: not is_address(value, ["https"])),
    ("device", "open", "must be an https or http address without user and fragment",
     lambda value, *_: not is_address(value, ("https", "http"))),
    ("device", r"(subscription[.])?keys[.](p256dh|auth)",
     r"must be base64url|has \d+ bytes instead of \d+|begins with \d+ .*|is not a point of P-256: .*",
     lambda value, *_: value not in making.KEYS.values()),
    ("notification", "notification", "is required", lambda value, command, *_: not re.fullmatch(
        r"[nb]\d+", str(command["id"]))),
    ("preferences", "set[.]quietHours[.](from|to)", "must be a time of day such as 22:00", lambda value, *_: value is None),
    ("preferences", "set[.]timeZone", "must be the IANA name of a time zone, .*",
     lambda value, *_: value not in making.ZONES),
    ("preferences", "set[.]mute[.]chats[.].*", "must be named by the two user ids sorted and joined by ':' or room:ID",
     lambda value, command, *_: not all(is_chat(name) for name in command["set"]["mute"]["chats"])),
    ("edit", "text", r"must be 1 to (\d+) characters in a recommendation",
     lambda value, command, person, most: len(value) > int(most)),
    ("history", "before|after", "must be a whole number", lambda value, *_: int(value) >= WHOLE_MAX),
]


def is_broken(command, person, field, message):
    """Whether a command breaks a rule that no schema says, and the refusal names just that one."""
    words = message.removeprefix(field + " ")
    for commands, member, saying, breaks in RULES:
        found = re.fullmatch(saying, words)
        if found and re.fullmatch(commands, command["type"]) and re.fullmatch(member, field):
            return bool(breaks(value(command, field), command, person, *found.groups()))
    return False


def value(command, field):
    """The member of a command by its dotted path; nothing where there is none."""
    found = command
    for name in field.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def decides(schema, path, what, field, message):
    """Whether the field of a refusal decides which of several forms a command has, which the wrong one makes doubtful."""
    forms = schema.get("anyOf", [])
    top = path.split(".")[0]
    if not any(field.split(".")[0] in form.get("properties", {}) for form in forms):
        return False
    # Without the wrong field it may be a command of another form, which lacks something.
    if what in ("null", "missing") and message == f"{field} is required":
        return any(field in form.get("required", []) for form in forms)
    # Two fields exclude each other, or one of two is wanted: the refusal names both.
    return re.search(rf"\b{re.escape(top)}\b", message) is not None
