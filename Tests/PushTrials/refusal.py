#!/usr/bin/env python3
"""What pushing does when the disk, the clock or the key says no, with the real server and the library of Tests/FaultTests.

disk: the write that notes results is refused; nothing is sent twice, and the counts are right when there is room again.
clock: what arrives in quiet hours is pushed at their end, once, unless it was read before.
keys: Apple and Google refuse a key; after another one lies in its place the pushes go, without a signal.

The last line is "N passed, M failed"."""

import asyncio
import collections
import errno
import json
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from server import TOPIC, FaultyServer, Providers, Server, Session, device_token, register_all, try_parts, wait

from apns import SUFFIXES
from fakes import Fake, write_key
from fcm import new_account
from Trials.device import Refused
from Trials.verdict import Verdict

GONE = "ab" * 29 + next(end for end, answer in SUFFIXES.items() if answer == "Unregistered")


def counts(server: Server, broadcast: str) -> tuple[int, int, int]:
    job = server.call("GET", f"/v1/broadcasts/{broadcast}")
    return job["pushed"], job["skipped"], job["failed"]


async def send(server: Server, reader: str, *texts: str) -> None:
    """Ann writes to somebody whom she follows."""
    async with Session(server, "ann") as ann:
        await ann.ask("follow", topic=f"user:{reader}")
        for text in texts:
            await ann.ask("send", to=reader, text=text, key=f"{reader}-{text}")


def alert(push: dict) -> tuple[str, str]:
    """The device and the text of a push of APNs."""
    return push["device"], json.loads(push["body"])["aps"].get("alert", {}).get("body", "")


# The disk.

def disk(binary: str, folder: Path, checks: Verdict) -> None:
    # Answers take as long as the disk needs to become full after the first request.
    providers = Providers(folder, "--delay", "300")
    server = FaultyServer(binary, folder, [*providers.settings(), "--push-rate", "100000"])
    server.start()
    fans = [f"fan{number}" for number in range(300)]
    asyncio.run(register_all(server, [*fans, "solo"], follow="show:disk"))
    asyncio.run(register_gone(server))
    checks.equal("chat works", asyncio.run(try_to_send(server)), None)
    checks.equal("Solo is pushed that Ann follows", wait(lambda: len(providers.pushes()) == 1, 5), True)
    solo = server.call("POST", "/v1/broadcasts", {"audience": "user:solo", "title": "One"})["id"]
    shared = server.call("POST", "/v1/broadcasts", {"audience": "show:disk", "title": "All"})["id"]
    checks.equal("pushing begins", wait(lambda: len(providers.apns.log("request")) > 1, 5), True)
    server.control.fail("write", errno.ENOSPC)
    pushed = wait_until_still(providers)
    checks.equal("no more than a page of each job is sent while the disk is full", 0 < pushed <= 258, True)
    # Results are handed over again after 5 s, and refused again.
    time.sleep(6)
    checks.equal("nothing is sent again meanwhile", len(providers.apns.log("request")), pushed)
    checks.equal("no result is noted", (counts(server, solo), counts(server, shared)), ((0, 0, 0), (0, 0, 0)))
    checks.equal("chat is refused", asyncio.run(try_to_send(server, "too early")), "unavailable")
    server.control.clear()
    began = time.monotonic()
    right = ((1, 0, 0), (301, 0, 1))
    checks.equal("the counts are right when there is room", wait(
        lambda: (counts(server, solo), counts(server, shared)) == right, 15) or
        (counts(server, solo), counts(server, shared)), True)
    seconds = time.monotonic() - began
    checks.equal("chat works again", asyncio.run(try_to_send(server, "welcome")), None)
    checks.equal("a message is pushed", wait(lambda: any(
        alert(push) == (device_token("solo"), "welcome") for push in providers.pushes()), 10), True)
    asked = collections.Counter(line["device"] for line in providers.apns.log("request"))
    wanted = {GONE: 1, **{device_token(user): 1 for user in fans}, device_token("solo"): 4}
    checks.equal("every device was asked once, Solo for each of four", asked - collections.Counter(wanted),
                 collections.Counter())
    checks.equal("no device was left out", collections.Counter(wanted) - asked, collections.Counter())
    gone = server.call("GET", "/v1/push/devices?user=gone")["devices"]
    checks.equal("the device that Apple does not know is removed", gone, [])
    checks.equal("stop", server.stop(), 0)
    providers.stop()
    print(f"disk: {pushed} requests before the disk was full, all noted {seconds:.1f} s after it was not", flush=True)


async def register_gone(server: Server) -> None:
    """Somebody whose app is not installed any more."""
    async with Session(server, "gone") as session:
        await session.ask("device", platform="apns", token=GONE, topic=TOPIC)
        await session.ask("follow", topic="show:disk")


async def try_to_send(server: Server, *texts: str) -> str | None:
    """The code of the refusal; nil when it was sent."""
    try:
        await send(server, "solo", *texts)
    except Refused as refusal:
        return refusal.code
    return None


def wait_until_still(providers: Providers) -> int:
    """The requests so far, when two seconds bring no more."""
    while True:
        before = len(providers.apns.log("request"))
        time.sleep(2)
        if len(providers.apns.log("request")) == before:
            return before


# The clock.

def clock(binary: str, folder: Path, checks: Verdict) -> None:
    providers = Providers(folder)
    server = FaultyServer(binary, folder, providers.settings())
    # The server's clock is some seconds before a minute, and that minute ends the quiet hours.
    ahead = (48 - datetime.now(UTC).second) % 60
    server.control.clock(ahead)
    end = (datetime.now(UTC) + timedelta(seconds=ahead + 60)).replace(second=0, microsecond=0)
    server.start()
    asyncio.run(quiet_hours(server, end))
    # On this machine's clock.
    ends = end.timestamp() - ahead
    checks.equal("there was time before the end", time.time() < ends - 1, True)
    checks.equal("nothing is pushed before the end", providers.apns.log("request"), [])
    waits = [(entry["state"], entry["answer"]) for job in server.call("GET", "/v1/push/jobs?limit=20")["jobs"]
             for entry in server.call("GET", f"/v1/push/jobs/{job['id']}")["tries"] if entry["user"] == "ben"]
    checks.equal("both messages wait", waits, 2 * [("open", "quiet-hours")])
    time.sleep(max(0, ends + 2 - time.time()))
    pushes = providers.pushes()
    checks.equal("notifications, and the newest message of each chat that is still unread", sorted(map(alert, pushes)),
                 sorted([*((device_token(user), "New follower") for user in ("ben", "carl", "eve")),
                         (device_token("ben"), "second"), (device_token("eve"), "later")]))
    late = [round(push["at"] - ends, 2) for push in pushes]
    checks.equal(f"at the end, after {late} s", all(0 <= seconds < 1.5 for seconds in late), True)
    checks.equal("stop", server.stop(), 0)
    providers.stop()


async def quiet_hours(server: Server, end: datetime) -> None:
    """Ben and Eve get messages and read none, or not the last; Carl reads all of his."""
    quiet = {"from": f"{end - timedelta(hours=2):%H:%M}", "to": f"{end:%H:%M}"}
    for user in ("ben", "carl", "eve"):
        async with Session(server, user) as session:
            await session.register()
            await session.ask("preferences", set={"timeZone": "UTC", "quietHours": quiet})
    await send(server, "ben", "first")
    await asyncio.sleep(0.3)
    await send(server, "ben", "second")
    for user in ("carl", "eve"):
        await send(server, user, "early")
        async with Session(server, user) as session:
            await session.ask("read", chat=f"ann:{user}", n=1)
    await send(server, "eve", "later")
    await asyncio.sleep(0.5)


# Keys.

def keys(binary: str, folder: Path, checks: Verdict) -> None:
    providers = Providers(folder)
    account = folder / "account.json"
    google = Fake("fcm", folder, "--service-account", str(account))
    right = {path: path.read_bytes() for path in (folder / "apns.p8", account)}
    # Another key of the same form: the services answer what they answer to a key that was revoked.
    write_key(folder / "apns.p8")
    other = {**json.loads(right[account]), "private_key": new_account("another")["private_key"]}
    replace(account, json.dumps(other).encode())
    server = FaultyServer(binary, folder, [
        *providers.settings(), "--fcm-service-account", str(account), "--fcm-url", google.url])
    server.start()
    asyncio.run(register_platforms(server))
    server.call("POST", "/v1/broadcasts", {"audience": "show:keys", "title": "Later"})
    checks.equal("two services of Apple and Google's wait", wait(lambda: (
        len(providers.apns.log("request")), len(google.log("request"))) == (2, 1), 10), True)
    refused = [line.get("reason") for line in providers.apns.log("request")]
    checks.equal("Apple refuses the key", refused, 2 * ["InvalidProviderToken"])
    time.sleep(7)
    checks.equal("three services wait", (folder / "server.log").read_text().count("a push service waits"), 3)
    checks.equal("nobody is asked again", (len(providers.apns.log("request")), len(google.log("request"))), (2, 1))
    began = time.time()
    for path, bytes_ in right.items():
        replace(path, bytes_)
    # Nothing else happens in the server: it looks by itself.
    checks.equal("the pushes go", wait(
        lambda: (taken(providers.apns), taken(google)) == (2, 1), 20), True)
    late = max(line["at"] for line in [*providers.apns.log("request"), *google.log("request")]) - began
    checks.equal("three services go on", (folder / "server.log").read_text().count("a push service goes on"), 3)
    checks.equal("one access token", sum("granted" in line for line in google.log("request")), 1)
    checks.equal("stop", server.stop(), 0)
    google.__exit__()
    providers.stop()
    print(f"keys: the last push {late:.1f} s after the keys", flush=True)


def replace(path: Path, bytes_: bytes) -> None:
    """As a person who is careful does it: the file is whole at every moment."""
    new = path.with_suffix(".new")
    new.write_bytes(bytes_)
    os.replace(new, path)


def taken(fake: Fake) -> int:
    """The pushes that a fake has taken."""
    return sum(line["status"] == 200 and line["path"] != "/token" for line in fake.log("request"))


async def register_platforms(server: Server) -> None:
    devices = {
        "ios": {"platform": "apns", "token": device_token("ios"), "topic": TOPIC},
        "beta": {"platform": "apns", "token": device_token("beta"), "topic": TOPIC, "environment": "sandbox"},
        "android": {"platform": "fcm", "token": "device:fine"},
    }
    for user, fields in devices.items():
        async with Session(server, user) as session:
            await session.ask("device", **fields)
            await session.ask("follow", topic="show:keys")


if __name__ == "__main__":
    sys.exit(try_parts("refusal", (disk, clock, keys)))
