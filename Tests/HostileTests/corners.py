"""More attacks with a normal token: weak points found by reading the code as an attacker would."""

import asyncio
import json
import time

from adversary import WAIT, Gun, Trial
from attacks import request
from costs import (
    KEYS, NOTES, PRESENCE, SMALL, attack_with, command, conflicts, fire, follow_and_not, full_topics, key, large_documents,
    large_preferences, long_chats, many_chats, open_chat, own, sends, small_preferences, trigger, with_friend)
from Trials.device import Peer


async def own_inbox(field):
    """Two hundred notifications for each user."""
    await field.volley([(number, [command("ping")]) for number in range(len(field.tokens))])
    field.operate_many([
        ("POST", "/v1/broadcasts", json.dumps({"audience": f"user:{field.user(number)}", "title": f"{place}"}).encode(),
         {"Content-Type": "application/json"}) for number in range(field.size(1, 20, 1)) for place in range(200)])


async def seen_again(field):
    """The same two hundred notifications are seen again and again: a thousand statements a command."""
    users = field.size(1, 20, 1)
    lists = {}
    for number in range(users):
        lists[field.tokens[number]] = await inbox(field, number)

    def commands(gun, sent):
        return command("seen", ids=lists[gun.token])
    await asyncio.gather(*(
        attack_with(field, number % users, commands) for number in range(field.size(16, 40, 2))))


async def snooze_again(field):
    """The same two hundred notifications are snoozed again and again, each time for a little longer."""
    users = field.size(1, 20, 1)
    lists = {field.tokens[number]: await inbox(field, number) for number in range(users)}

    def commands(gun, sent):
        until = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 3600 + sent))
        return command("snooze", ids=lists[gun.token], until=until)
    await asyncio.gather(*(
        attack_with(field, number % users, commands) for number in range(field.size(16, 40, 2))))


async def archive_again(field):
    """The same two hundred notifications are archived again and again."""
    users = field.size(1, 20, 1)
    lists = {field.tokens[number]: await inbox(field, number) for number in range(users)}

    def commands(gun, sent):
        return command("archive", ids=lists[gun.token])
    await asyncio.gather(*(
        attack_with(field, number % users, commands) for number in range(field.size(16, 40, 2))))


async def undone_again(field):
    """Each command snoozes one notification that exists and one that does not: its writes are undone, and with them the
    batch in which it stood."""
    users = field.size(1, 20, 1)
    lists = {field.tokens[number]: await inbox(field, number) for number in range(users)}

    def commands(gun, sent):
        until = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 3600 + sent))
        return command("snooze", ids=[lists[gun.token][sent % 200], "n1"], until=until)
    await asyncio.gather(*(
        attack_with(field, number % users, commands, 20) for number in range(field.size(16, 40, 2))))


async def inbox(field, number):
    """The ids of a user's notifications."""
    peer = await Peer.session(field.port, field.tokens[number], "reader")
    reply = await peer.ok({"id": 1, "type": "notifications", "limit": 200})
    peer.close()
    return [entry["id"] for entry in reply["ok"]["notifications"]]


async def recommend_thousands(field):
    """Two accounts of one adversary: one recommends, the other has read nothing yet."""
    await open_chat(field)
    await field.volley([(number, [command("recommend", to="friend", product={"id": f"movie/{film}"}, key=key())
                                  for film in range(field.size(8000, 200, 2000))])
                        for number in range(len(field.tokens))])


async def read_at_once(field):
    """One command reads messages of thousands of commands; then the next, as soon as there are more."""
    last = field.size(8001, 201, 2001)

    def reads(gun, sent):
        chat = with_friend(field.user(sent))
        return command("read", chat=chat, n=last) if sent < len(field.tokens) else WAIT

    def recommends(gun, sent):
        return command("recommend", to="friend", product={"id": f"movie/{sent}"}, key=key())
    await asyncio.gather(
        attack_with(field, 0, reads, token=field.friend), *(attack_with(field, number, recommends) for number in range(8)))


async def read_step_by_step(field):
    """Each counts all messages that are left to read."""
    def reads(gun, sent):
        step = next(field.steps)
        chat = with_friend(field.user(step))
        return command("read", chat=chat, n=1 + step // len(field.tokens))
    await asyncio.gather(*(attack_with(field, number, reads, token=field.friend) for number in range(8)))


def acks(gun, sent):
    """Each command searches all messages of one user for those of the other."""
    return command("ack", seq=next(gun.field.steps))


async def watched_by_many(field):
    """Many sessions watch one large document, which one of them changes all the time."""
    path = f"users/{field.user(0)}"
    watching = [attack_with(field, number, lambda gun, sent: WAIT if sent else command("watch", path=path), 1)
                for number in range(field.size(200, 400, 60))]

    def patches(gun, sent):
        return command("patch", path=path, data={"n": next(KEYS)}, key=key())
    await asyncio.gather(attack_with(field, 0, patches, 20), *watching)


async def collection_watched(field):
    """Sessions that watch all users' documents, again and again, while large ones of them change."""
    watching = [attack_with(field, number, lambda gun, sent: command("watch", path="users"), 8)
                for number in range(field.size(40, 100, 20))]

    def patches(gun, sent):
        return command("patch", path=f"users/{own(gun)}", data={"n": next(KEYS)}, key=key())
    await asyncio.gather(*(attack_with(field, number, patches, 20) for number in range(4)), *watching)


def at_many_sessions(commands):
    """Every message to a friend goes to each of the friend's many sessions."""
    async def run(field):
        standing = field.fire(field.size(900, 1500, 200), lambda gun, sent: WAIT, token=field.friend)
        speaking = [attack_with(field, number, commands) for number in range(field.size(4, 100, 4))]
        await asyncio.gather(standing, *speaking)
    return run


async def watch_all_people(field):
    """Each of many sessions observes the presence of two hundred people."""
    await field.fire(field.size(900, 2000, 200), lambda gun, sent: WAIT if sent else PRESENCE)


async def watch_all_documents(field):
    """Each of many sessions watches a hundred documents."""
    await field.fire(field.size(900, 2000, 200), lambda gun, sent: WAIT if sent == 100 else command(
        "watch", path=f"users/w{sent}"))


def type_at_friend(gun, sent):
    return command("typing", chat=with_friend(own(gun)), on=bool(sent % 2))


async def wait_for(due):
    """Sleeps until the time left is as long as the measurement before an attack."""
    await asyncio.sleep(max(0, due - time.time() - 8))


def next_minute(seconds):
    """The first full minute that is at least this many seconds away."""
    return (time.time() + seconds) // 60 * 60 + 60


async def daily_digests(field):
    """Each user follows topics with many notifications, and has twenty digests at the next minute: each looks through
    the notifications of all topics."""
    due = next_minute(field.size(30, 45, 30))
    clock = time.strftime("%H:%M", time.gmtime(due))
    digests = {f"topic:person:{topic}": f"daily {clock}" for topic in range(20)}
    # Notifications after the choice of a digest are collected.
    await field.volley([(number, [command("preferences", set={"digest": digests})])
                        for number in range(len(field.tokens))])
    await full_topics(field)
    await wait_for(due)


REMINDING = trigger("note-reminds", "") | {"at": "after->>'at'"}


async def reminders(field):
    """Thousands of notes that remind at the same second."""
    due = time.time() + field.size(25, 25, 12)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(due))
    await field.volley([
        (number, [command("put", path=f"users/{field.user(number)}/notes/n{note}", data={"at": at}, key=key())
                  for note in range(field.size(12_000, 120, 2000))])
        for number in range(len(field.tokens))])
    await wait_for(due)


async def nothing_more(field):
    """The prepared notifications come due by themselves."""
    await asyncio.sleep(field.seconds)


async def storms(field):
    """Sessions that begin and end at once, each with a device of its own."""
    async def one(number):
        while field.goesOn:
            field.names += 1
            name = f"storm{field.names}"
            made = await field.connect(number, lambda: Gun(
                field, field.tokens[number % len(field.tokens)], lambda gun, sent: None, name=name))
            if made:
                await asyncio.wait([made.over], timeout=3)
                made.transport.abort()
    await asyncio.gather(*(one(number) for number in range(field.size(50, 200, 20))))


def follow_victims(gun, sent):
    """Each is a notification for another user, and replaces the last one."""
    return command("follow" if sent % 2 == 0 else "unfollow", topic=f"user:alice{sent // 2 % 8}")


async def open_victims(field):
    await field.volley([
        (number, [command("follow", topic=f"user:alice{number % 8}"),
                  command("send", to=f"alice{number % 8}", text="hi", key=key())]) for number in range(len(field.tokens))])


def type_at_victims(gun, sent):
    number = gun.field.tokens.index(gun.token)
    chat = ":".join(sorted([own(gun), f"alice{number % 8}"]))
    return command("typing", chat=chat, on=bool(sent % 2))


async def event_streams(field):
    """Streams of Server-Sent Events, each of which watches sixteen paths that are not there, which is the most."""
    def head(number):
        paths = ",".join(f"users/s{number}x{place}" for place in range(16))
        return request("GET", f"/v1/events?watch={paths}", token=field.tokens[number % len(field.tokens)])
    await field.hold(field.size(300, 900, 100), head)


TRIALS = [
    Trial("15", "conflicts, each with 64 KB", fire(conflicts, 16, 100), large_documents, disk=SMALL),
    # Each change logs the whole object: the bound is the one on what a user writes in an hour.
    Trial("15", "preferences of 32 KB, changed a little", fire(small_preferences, 8, 100), large_preferences),
    Trial("15", "200 seen again and again", seen_again, own_inbox),
    Trial("15", "200 snoozed again and again", snooze_again, own_inbox, inQuick=False),
    Trial("15", "200 archived again and again", archive_again, own_inbox, inQuick=False),
    Trial("15", "writes that are undone", undone_again, own_inbox, inQuick=False),
    Trial("15", "acks over one's own messages", fire(acks, 8, 100), long_chats),
    Trial("15", "a long chat, read message by message", read_step_by_step, long_chats, inQuick=False),
    Trial("15", "thousands of recommendations, read", read_at_once, recommend_thousands, inQuick=False),
    Trial("15", "digests that are due together", nothing_more, daily_digests, inQuick=False, isDue=True),
    Trial("15", "reminders that are due together", nothing_more, reminders, rules=NOTES, triggers=[REMINDING],
          inQuick=False, isDue=True),
    Trial("15", "a large document, watched by many", watched_by_many, large_documents, inQuick=False),
    Trial("15", "a collection watched while it changes", collection_watched, large_documents, inQuick=False),
    Trial("15", "presence of 200 at 900 sessions", watch_all_people, many_chats, inQuick=False),
    Trial("15", "a hundred watches at 900 sessions", watch_all_documents, inQuick=False),
    Trial("15", "typing at 900 sessions of a friend", at_many_sessions(type_at_friend), open_chat, inQuick=False),
    Trial("15", "sends to 900 sessions of a friend", at_many_sessions(sends), open_chat, inQuick=False),
    Trial("15", "follow and unfollow of others", fire(follow_victims, 16, 100), inQuick=False),
    Trial("15", "follow and unfollow of topics", fire(follow_and_not, 16, 100), inQuick=False),
    Trial("15", "typing at others", fire(type_at_victims, 16, 100), open_victims, inQuick=False),
    Trial("15", "sessions that begin and end", storms, inQuick=False),
    Trial("15", "streams with sixteen watches", event_streams, rows={"streams": 100_000}, inQuick=False),
]
