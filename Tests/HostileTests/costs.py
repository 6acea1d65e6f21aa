"""The costs that a user with a normal token can try to cause: the attacks of the trials in `adversary.py`."""

import asyncio
import json
import os
import ssl
import time

from adversary import WAIT, Gun, Trial, scaled, shot
from attacks import deflated, request
from Trials.device import upgrade


def command(type, **members):
    """A command without its id, which the sender inserts."""
    return json.dumps({"type": type, **members}, separators=(",", ":"))[1:].encode()


class Keys:
    """Numbers that are unique over all processes of the adversary."""

    def __init__(self):
        self.process = None

    def __next__(self):
        if self.process != os.getpid():
            self.process, self.number = os.getpid(), time.time_ns() // 1000 % (1 << 50)
        self.number += 1
        return self.number


KEYS = Keys()


def key():
    return f"a{next(KEYS)}"


def own(gun):
    """The user of the session."""
    return gun.field.user(gun.field.tokens.index(gun.token))


def with_friend(user):
    """The chat of a user and the friend."""
    return ":".join(sorted([user, "friend"]))


def fire(commands, one, hundred, **options):
    """An attack of sessions that send commands at full rate: one number from one address, another from a hundred."""
    async def run(field):
        if field.isQuick:
            options["window"] = max(1, options.get("window", 200) // 8)
        await field.fire(field.size(one, hundred, max(2, one // 8)), commands, **options)
    return run


async def attack_with(field, number, commands, window=200, token=None):
    while field.goesOn:
        try:
            async with asyncio.timeout(max(0, field.until - time.monotonic())):
                await field.gun(number, commands, window=window, token=token)
        except TimeoutError:
            return
        await asyncio.sleep(0.02)


# 1. Merging

MANY_NAMES = {f"k{number}": 0 for number in range(scaled(12_000))}
MANY_TOPICS = {f"person:{number}": True for number in range(scaled(6_000))}
WIDE = {f"k{number:04}": 1 for number in range(scaled(5_900))}
PREFERENCES = [command("preferences", set=MANY_NAMES), command("preferences", set={"mute": {"topics": MANY_TOPICS}})]


def many_preferences(gun, sent):
    return PREFERENCES[sent % 2]


async def wide_documents(field):
    await field.volley([(number, [command("put", path=f"users/{field.user(number)}", data=WIDE, key=key())])
                        for number in range(len(field.tokens))])


def wide_patches(gun, sent):
    return command("patch", path=f"users/{own(gun)}", data=dict.fromkeys(WIDE, next(KEYS) % 10), key=key())


# 2. Work that waits for the writer

NUMBERS = "[" + "0," * scaled(59_000) + "0]"


async def put_and_go(field):
    """Writes that are small on the wire and large when decoded; the connection ends before they are answered."""
    async def one(number):
        while field.goesOn:
            path = f"users/{field.user(number)}"
            left = iter(range(60))

            def commands(gun, sent):
                if next(left, None) is None:
                    # Sent bytes are still received to the end, and nobody waits for the answers.
                    asyncio.get_running_loop().call_later(0.3, gun.transport.abort)
                    return None
                return b'"type":"put","path":"%s","key":"%s","data":{"a":%s}}' % (
                    path.encode(), key().encode(), NUMBERS.encode())
            try:
                await asyncio.wait_for(field.gun(number, commands, window=60), 5)
            except TimeoutError:
                pass
    await asyncio.gather(*(one(number) for number in range(field.size(8, 100, 2))))


# 3. Heads

async def long_queries(field):
    def head(number):
        return request("POST", "/v1/commands?" + "a&" * scaled(3_900), token=field.tokens[number % len(field.tokens)],
                       Content_Length=16_000) + b"{"
    await field.hold(field.size(900, 3000, 100), head)


# 4. Follows

async def follow_thousands(field, count=None):
    """Each user follows topics, and then each topic has something new."""
    count = count or field.size(3000, 500, 300)
    await field.volley([
        (number, [command("follow", topic=f"person:{topic}") for topic in range(count)])
        for number in range(len(field.tokens))])
    field.operate_many([("POST", f"/v1/publish/person:{topic}", b"news", {}) for topic in range(count)])


def recount(gun, sent):
    """Each changes the unread counts, which visit what is followed."""
    return command("follow" if sent % 2 else "unfollow", topic=f"person:x{gun.name}")


def follow_more(gun, sent):
    return command("follow", topic=f"person:f{next(KEYS)}")


async def standing_sessions(field):
    """Sessions of users with many follows, which do nothing: each holds what its user follows."""
    await field.fire(field.size(900, 2000, 200), lambda gun, sent: WAIT)


# 5. Small commands, large rows

LARGE = "x" * scaled(65_000)


async def large_documents(field):
    await field.volley([(number, [command("put", path=f"users/{field.user(number)}", data={"text": LARGE}, key=key())])
                        for number in range(len(field.tokens))], window=4)


def small_patches(gun, sent):
    number = next(KEYS)
    return b'"type":"patch","path":"users/%s","data":{"n":%d},"key":"a%d"}' % (own(gun).encode(), number, number)


async def large_preferences(field):
    topics = {f"person:{'p' * 40}{number}": True for number in range(scaled(480))}
    await field.volley([(number, [command("preferences", set={"mute": {"topics": topics}})])
                        for number in range(len(field.tokens))])


def small_preferences(gun, sent):
    return command("preferences", set={"timeZone": ["Europe/Rome", "Europe/Warsaw"][next(KEYS) % 2]})


def conflicts(gun, sent):
    """Each is answered with the present document, 64 KB."""
    return command("put", path=f"users/{own(gun)}", data={}, ifVersion=999, key=key())


# 6. Rows nobody needs

def unfollow_nothing(gun, sent):
    return command("unfollow", topic=f"person:u{next(KEYS)}")


def watch_nothing(gun, sent):
    number = next(KEYS)
    return command("watch" if sent % 2 == 0 else "unwatch", path=f"users/nobody{number - sent % 2}")


def follow_and_not(gun, sent):
    return command("follow" if sent % 2 == 0 else "unfollow", topic=f"person:u{gun.name}x{sent // 2}")


# 7. Reads of full weight

EMOJI = "\U0001f3ac" * scaled(4000)


async def many_chats(field):
    """Chats of each user with many people, whose last message is as large as one may be."""
    count = field.size(200, 20, 100)
    await field.volley([
        (number, [command("follow", topic=f"user:friend{friend}") for friend in range(count)]
         + [command("send", to=f"friend{friend}", text=EMOJI[:len(EMOJI) // 2], key=key()) for friend in range(count)])
        for number in range(len(field.tokens))], window=20)


async def long_history(field):
    await field.volley([
        (number, [command("follow", topic="user:friend")]
         + [command("send", to="friend", text=EMOJI, key=key()) for _ in range(field.size(220, 20, 100))])
        for number in range(len(field.tokens))], window=10)


PRESENCE = command("presence", watch=[f"friend{number}" for number in range(200)])
CHATS = command("chats", limit=200)


def presences(gun, sent):
    return PRESENCE


def chat_lists(gun, sent):
    return CHATS


def histories(gun, sent):
    return command("history", chat=with_friend(own(gun)), limit=200)


async def full_topics(field):
    """Topics that one follows, each with a page of notifications."""
    topics, each = field.size((300, 30), (60, 30), (100, 10))
    await field.volley([(number, [command("follow", topic=f"person:{topic}") for topic in range(topics)])
                        for number in range(len(field.tokens))])
    field.operate_many([("POST", f"/v1/publish/person:{topic}", b"news", {})
                        for _ in range(each) for topic in range(topics)])


def notification_pages(gun, sent):
    return command("notifications", limit=200, unread=bool(sent % 2))


# 8. Triggers

def trigger(name, condition):
    return {"name": name, "event": "write", "path": "users/{user}/notes/{note}", "condition": condition,
            "audience": "user:{user}", "kind": "note", "level": "passive", "collapse": "note:{{note}}", "ttl": 3600,
            "title": {"en": "A note"}, "body": {"en": "There is a note."}, "data": {}, "at": None, "webhook": None,
            "enabled": True}


NOTES = {"users/{user}/notes/{note}": "owner"}
SEARCHING = trigger("note-says", "instr(after->>'text', after->>'word') > 0")
LISTING = trigger("note-lists", "EXISTS (SELECT 1 FROM json_each(after, '$.tags') a, json_each(after, '$.tags') b "
                  "WHERE a.value || b.value = 'film')")


def searched_notes(gun, sent):
    return command("put", path=f"users/{own(gun)}/notes/n{next(KEYS) % 100}", key=key(),
                   data={"text": "a" * scaled(43_000), "word": "a" * scaled(20_000) + "b", "n": next(KEYS)})


def listed_notes(gun, sent):
    return command("put", path=f"users/{own(gun)}/notes/n{next(KEYS) % 100}", key=key(),
                   data={"tags": list(range(scaled(2000))), "n": next(KEYS)})


# 9. TLS

async def half_handshakes(field):
    """A ClientHello of 128 KB, in records of 16 KiB, without its end."""
    size = 130_000
    message = b"\x01" + size.to_bytes(3, "big") + b"\x03\x03" + b"r" * 32 + b"\0"
    message += b"x" * (size - len(message) - 100)
    records = b"".join(
        b"\x16\x03\x01" + len(part).to_bytes(2, "big") + part
        for part in (message[place:place + 16_384] for place in range(0, len(message), 16_384)))
    await field.hold(field.size(900, 3000, 300), lambda number: records)


async def half_records(field):
    """Complete handshakes, then a record of 16 KiB without its last bytes."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    await field.hold(field.size(900, 4000, 300), lambda number: b"G" * 16_384, context=context)


# 10. Resuming

async def missed_events(field):
    """Some thousands of events for each user."""
    await open_chat(field)
    await field.volley([
        (number, [command("send", to="friend", text="x" * 200, key=key()) for _ in range(field.size(4800, 400, 1400))])
        for number in range(len(field.tokens))])


async def long_chats(field):
    """A chat as long as a session or two write in a minute."""
    await open_chat(field)
    await field.volley([
        (number, [command("send", to="friend", text="x", key=key()) for _ in range(field.size(30_000, 1000, 6000))])
        for number in range(len(field.tokens))])


async def resume_again(field):
    """Sessions that resume from the beginning, and end when they are live."""
    epoch = None

    async def one(number):
        nonlocal epoch
        while field.goesOn:
            hello = {"since": {"epoch": epoch, "seq": 0}} if epoch else None
            made = await field.connect(number, lambda: Gun(
                field, field.tokens[number % len(field.tokens)], lambda gun, sent: None,
                name=f"r{number}", hello=hello))
            if made is None:
                continue
            await asyncio.wait([made.over], timeout=5)
            if epoch is None and b'"epoch":"' in made.head:
                epoch = made.head.split(b'"epoch":"')[1].split(b'"')[0].decode()
            made.transport.abort()
    await asyncio.gather(*(one(number) for number in range(field.size(50, 200, 20))))


# 11. Compression

class Squeezed(asyncio.Protocol):
    """A session that sends the same compressed messages again and again, without reading answers."""

    def __init__(self, field, token, name, message, count):
        self.field, self.token, self.name, self.message, self.count = field, token, name, message, count
        self.over = asyncio.get_running_loop().create_future()
        self.head = b""
        self.isLive = False

    def connection_made(self, transport):
        self.transport = transport
        transport.write(upgrade(Sec_WebSocket_Extensions="permessage-deflate") + shot(json.dumps(
            {"id": "h", "type": "hello", "token": self.token, "device": self.name}).encode()))
        asyncio.get_running_loop().call_later(0.2, self.fire)

    def fire(self):
        if self.transport.is_closing():
            return
        data = bytearray(shot(self.message))
        # This bit marks it as compressed.
        data[0] |= 0x40
        self.transport.write(bytes(data) * self.count)
        self.field.told["volleys"] += 1
        asyncio.get_running_loop().call_later(0.5, self.fire)

    def data_received(self, data):
        pass

    def connection_lost(self, problem):
        if not self.over.done():
            self.over.set_result(None)


def squeezed(make, count, one, hundred, quick):
    async def run(field):
        async def session(number):
            while field.goesOn:
                made = await field.connect(number, lambda: Squeezed(
                    field, field.tokens[number % len(field.tokens)], f"z{number}", deflated(make(field, number)),
                    1 if field.isQuick else count))
                if made:
                    await asyncio.wait([made.over], timeout=max(0, field.until - time.monotonic()))
                await asyncio.sleep(0.02)
        await asyncio.gather(*(session(number) for number in range(field.size(one, hundred, quick))))
    return run


def swollen_put(field, number):
    path = f"users/{field.user(number)}".encode()
    return b'{"type":"put","path":"%s","key":"squeezed","data":{"a":%s}}' % (path, NUMBERS.encode())


def squeezed_history(field, number):
    return json.dumps({"id": 1, "type": "history", "chat": with_friend(field.user(number)), "limit": 200}).encode()


# 12 to 14. At full rate

async def open_chat(field):
    await field.volley([
        (number, [command("follow", topic="user:friend"), command("send", to="friend", text="hi", key=key())])
        for number in range(len(field.tokens))])


def sends(gun, sent):
    return b'"type":"send","to":"friend","text":"%s","key":"a%d"}' % (b"seen it? " * 10, next(KEYS))


class Poster(asyncio.Protocol):
    """A connection that posts one command after the other, some of them ahead of the answers."""

    AHEAD = 16

    def __init__(self, field, number):
        self.field, self.token = field, field.tokens[number % len(field.tokens)]
        self.over = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport
        self.post(self.AHEAD)

    def post(self, count):
        self.transport.write(b"".join(
            request("POST", "/v1/commands", b"{" + sends(self, 0), token=self.token) for _ in range(count)))

    def data_received(self, data):
        count = data.count(b"HTTP/1.1 ")
        self.field.told["answers"] += count
        if b"HTTP/1.1 429" in data:
            self.field.told["429"] += data.count(b"HTTP/1.1 429")
        self.post(count)

    def connection_lost(self, problem):
        if not self.over.done():
            self.over.set_result(None)


def posted(protocol, one, hundred, quick=None):
    """An attack of connections that post at full rate, again when they are ended."""
    async def run(field):
        async def connection(number):
            while field.goesOn:
                made = await field.connect(number, lambda: protocol(field, number))
                if made:
                    await asyncio.wait([made.over], timeout=max(0, field.until - time.monotonic()))
                    made.transport.abort()
                await asyncio.sleep(0.02)
        await asyncio.gather(*(connection(number) for number in range(field.size(one, hundred, quick))))
    return run


def large_puts(gun, sent):
    return b'"type":"put","path":"users/%s","data":{"n":%d,"text":"%s"},"key":"a%d"}' % (
        own(gun).encode(), next(KEYS), LARGE.encode(), next(KEYS))


async def unread_requests(field):
    """Requests one after the other whose answers nobody takes."""
    def requests(number):
        one = request("POST", "/v1/commands", squeezed_history(field, number),
                      token=field.tokens[number % len(field.tokens)])
        return one * 12
    await field.hold(field.size(300, 900, 100), requests, isDeaf=True)


async def resumed_and_not_taken(field):
    """Sessions that ask for thousands of events and take none of them."""
    epochs = []

    def first(gun, sent):
        epochs.append(gun.head.split(b'"epoch":"')[1].split(b'"')[0].decode())
        return
    await field.gun(0, first)
    hello = {"since": {"epoch": epochs[0], "seq": 0}}
    await field.fire(field.size(900, 2000, 200), lambda gun, sent: WAIT, hello=hello, isDeafAtOnce=True)


# MiB of the disk that commands of a hundred bytes may take, from one user and from a hundred. The bytes that a user may
# write in an hour bound larger commands.
SMALL = (160, 640)

TRIALS = [
    Trial("1", "preferences of 12,000 names", fire(many_preferences, 6, 50, window=10)),
    Trial("1", "patches of 5,900 names", fire(wide_patches, 6, 50, window=10), wide_documents),
    Trial("2", "large writes, then gone", put_and_go),
    Trial("3", "heads with 3,900 query items", long_queries),
    Trial("4", "3,000 follows, counts again and again", fire(recount, 16, 100), follow_thousands),
    Trial("4", "sessions of one who follows thousands", standing_sessions,
          lambda field: follow_thousands(field, field.size(3000, 500, 1000)), inQuick=False),
    # A loop keeps an entry of 16 bytes for each, in a table that is up to twice as large, and 8 bytes in the user's list.
    Trial("4", "follows without end", fire(follow_more, 16, 100), rows={"follows": lambda users: 5_000 * users},
          inQuick=False, rowBytes=48),
    Trial("5", "patches of 110 bytes on 64 KB", fire(small_patches, 8, 100), large_documents, disk=SMALL),
    Trial("6", "unfollows of nothing", fire(unfollow_nothing, 16, 100), rows={"streams": 200}),
    Trial("6", "watches of nothing", fire(watch_nothing, 16, 100), rows={"streams": 5000}, inQuick=False),
    Trial("7", "presence of 200 names", fire(presences, 100, 200, window=8), many_chats, inQuick=False),
    Trial("7", "histories of 200", fire(histories, 100, 200, window=8), long_history, inQuick=False),
    Trial("7", "lists of 200 chats", fire(chat_lists, 100, 200, window=8), many_chats, inQuick=False),
    Trial("7", "notifications of many topics", fire(notification_pages, 100, 200, window=8), full_topics, inQuick=False),
    Trial("8", "a condition that searches", fire(searched_notes, 8, 50, window=50), rules=NOTES, triggers=[SEARCHING]),
    Trial("8", "a condition that pairs lists", fire(listed_notes, 8, 50, window=50), rules=NOTES, triggers=[LISTING], inQuick=False),
    Trial("9", "half of a TLS handshake", half_handshakes, isEncrypted=True),
    Trial("9", "half of a TLS record", half_records, isEncrypted=True, inQuick=False),
    Trial("10", "resuming from zero", resume_again, missed_events, inQuick=False),
    Trial("11", "writes that inflate", squeezed(swollen_put, 8, 100, 300, 4)),
    Trial("11", "large answers, compressed", squeezed(squeezed_history, 200, 50, 200, 20), long_history, inQuick=False),
    Trial("12", "sends of many sessions", fire(sends, 100, 200), open_chat),
    Trial("12", "sends by single requests", posted(Poster, 50, 200), open_chat, inQuick=False),
    Trial("13", "documents of 64 KB", fire(large_puts, 16, 100, window=50), inQuick=False),
    Trial("14", "asked for and not taken", fire(histories, 100, 300, isDeaf=True), long_history),
    Trial("14", "requests, and no answer taken", unread_requests, long_history, inQuick=False),
    Trial("14", "resumed from zero, and not taken", resumed_and_not_taken, missed_events, inQuick=False),
]
