"""Trials of faults that must heal without a person: failed reads, a disk full of the server's own log, slow stops,
and clocks that were wrong for one run of the server."""

import asyncio
import errno
import pathlib
import sqlite3
import subprocess
import sys
import time

from Trials.device import Peer, text

DAY = 86400
# Of a stop with two rounds of writes still to store; it needs 9 or 10.
MOST_FLUSHES = 16


async def failed_read(trial):
    """A read of the database fails, once or for a while, in the writer and in a reader; nothing is damaged."""
    await trial.begin()
    town, control = trial.town, trial.server.control
    struck = 0
    for _ in range(4 if trial.is_quick else 24):
        # A new process has nothing in its caches.
        trial.server.kill()
        trial.check(trial.start(), f"no start: {trial.server.lines()[-3:]}")
        count = trial.chance.choice((1, 1, 3))
        first = control.fail("read", errno.EIO, trial.chance.randint(1, 6), count, thread="writer")
        end = time.monotonic() + 3
        while control.get("read", "calls") < first and time.monotonic() < end:
            await asyncio.sleep(0.005)
        struck += control.get("read", "calls") >= first
        if not trial.check(await town.next_ok(6) is not None, "nothing was acknowledged after a failed read"):
            break
        trial.check(await trial.until("/readyz", 200, 5) is not None, "/readyz did not become ready")
        control.clear()
    trial.check(struck > 0, "no read of the writer failed")
    await unreadable_for_a_while(trial)
    await unreadable_for_readers(trial)
    damage = [line for line in trial.server.lines() if "damaged" in line]
    trial.check(not damage, f"a read error is called damage: {damage[:1]}")
    told = [refusal for refusal in town.refusals if "damaged" in refusal["message"]]
    trial.check(not told, f"a read error is called damage: {told[:1]}")
    trial.check(any("checked" in line for line in trial.server.lines()), "the log does not say that it was checked")
    trial.remark += f"{struck} reads failed."
    await trial.settle()


async def unreadable_for_a_while(trial):
    """Every read of the writer fails for two seconds: writes are refused, and taken again without a restart."""
    trial.server.kill()
    trial.check(trial.start(), f"no start: {trial.server.lines()[-3:]}")
    trial.server.control.fail("read", errno.EIO, thread="writer")
    body = await trial.until("/readyz", 503, 5)
    if trial.check(body is not None, "/readyz did not say that the server is not ready"):
        trial.check("read" in body or "disk fails" in body, f"/readyz says {body!r}")
        await asyncio.sleep(2)
    trial.server.control.clear()
    began = time.monotonic()
    trial.check(await trial.town.next_ok(6) is not None, "nothing was acknowledged when the disk could be read again")
    trial.check(await trial.until("/readyz", 200, 5) is not None, "/readyz did not become ready again")
    trial.remark += f"Back {time.monotonic() - began:.2f} s after the disk. "


async def unreadable_for_readers(trial):
    """Readers' reads fail for a second: their clients get a refusal, and reads work afterwards."""
    trial.server.control.fail("read", errno.EIO, thread="reader-0")
    await asyncio.sleep(1)
    trial.server.control.clear()
    for left, right in trial.town.pairs:
        ok = await asyncio.wait_for(
            trial.town.devices[left, "tablet"].insist({"type": "history", "chat": f"{left}:{right}"}), 10)
        trial.check(ok["messages"], "a history is empty after failed reads")


async def own_log(trial):
    """A disk of 16 MiB, half of which SQLite's own log of 8 MB would take: the log is bounded by the room there is."""
    volume = trial.small_volume(16)
    # The index of messages takes room of its own, and its reads let the log begin again later: up to 7.6 MB were seen with it.
    await trial.begin(data=f"{volume}/data", pace=0, arguments=("--search", "false"))
    log = pathlib.Path(volume, "data/watchwise.db-wal")
    largest = written = 0
    end = time.monotonic() + (30 if trial.is_quick else 120)
    # Each commit writes some pages to the log: far more than the disk has.
    while written < 4500 and time.monotonic() < end:
        await asyncio.sleep(0.05)
        largest, written = max(largest, log.stat().st_size), len(trial.town.acknowledged)
    trial.check(not trial.town.refusals, f"refused with {trial.town.refusals[:1]}")
    trial.check(largest < 6 << 20, f"the log took {largest >> 10} KiB of 16 MiB")
    trial.remark += f"Log at most {largest >> 10} KiB. "
    trial.server.options = []
    await filled_by_a_log(trial, volume, log)
    await trial.settle()


async def filled_by_a_log(trial, volume, log):
    """The log of an earlier process has filled the disk: the server starts and says so, and writes once there is room."""
    await trial.stop()
    # Pages that the database does not have yet: they cannot be moved without room.
    program = (
        "import os, sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "database.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "database.execute('CREATE TABLE filler(x)')\n"
        "try:\n"
        "    while True: database.execute('INSERT INTO filler VALUES (randomblob(30000))')\n"
        "except sqlite3.OperationalError: os._exit(0)\n")
    subprocess.run([sys.executable, "-c", program, f"{volume}/data/watchwise.db"], check=True)
    trial.check(log.stat().st_size > 6 << 20, f"the log has only {log.stat().st_size >> 10} KiB")
    if not trial.check(trial.start(), f"no start on a disk full of the log: {trial.server.lines()[-1:]}"):
        subprocess.run(["mount", "-o", "remount,size=64m", volume], check=True)
        trial.start()
        return
    body = await trial.until("/readyz", 503, 5)
    trial.check(body is not None and "own log" in body, f"/readyz says {body!r}")
    left, right = trial.town.pairs[0]
    reply = await trial.town.devices[left, "tablet"].ask({"type": "history", "chat": f"{left}:{right}"}, 5)
    trial.check("ok" in reply, f"a read was refused on the full disk: {reply}")
    subprocess.run(["mount", "-o", "remount,size=64m", volume], check=True)
    trial.check(await trial.town.next_ok(10) is not None, "nothing was acknowledged when there was room")
    trial.check(await trial.until("/readyz", 200, 5) is not None, "/readyz did not become ready")


async def slow_stop(trial):
    """Every fsync takes a second, and SIGTERM comes: each write that was begun is answered."""
    await trial.begin(pairs=1, pace=0.05)
    await trial.town.settle()
    people = [await hello(trial, f"s{number}") for number in range(8)]
    trial.server.control.slow("sync", 1)
    await sent(people, 0)
    # The second batch waits for the commit of the first.
    await asyncio.sleep(0.2)
    await sent(people, 1)
    await asyncio.sleep(0.2)
    stopping = asyncio.create_task(trial.stop(40))
    answers = await asyncio.gather(*(answered(socket) for socket in people))
    trial.check(await stopping == 0, "the server did not end well")
    missing = sum(20 - count for count in answers)
    trial.check(missing == 0, f"{missing} of {20 * len(people)} writes went unanswered")
    await impatient_stop(trial)


async def impatient_stop(trial):
    """With two seconds for the stop and fsyncs of four, the log says how many writes went unanswered."""
    trial.server.control.clear()
    trial.server.options = ["--stop-timeout", "2"]
    if not trial.check(trial.start(), f"no start: {trial.server.lines()[-2:]}"):
        return
    person = await hello(trial, "s0")
    trial.server.control.slow("sync", 4)
    await sent([person], 2)
    await asyncio.sleep(0.3)
    await sent([person], 3)
    await asyncio.sleep(0.2)
    flushes = trial.server.control.get("sync", "calls")
    code = await trial.stop(100)
    flushes = trial.server.control.get("sync", "calls") - flushes
    trial.check(code == 0, f"the server ended with {code}")
    # A busy machine stores the two rounds in more batches, so the stop takes as long as its fsyncs, which are counted.
    trial.check(flushes <= MOST_FLUSHES, f"the stop needed {flushes} fsyncs, and {MOST_FLUSHES} are enough")
    trial.remark += f"An impatient stop needed {flushes} fsyncs."
    lines = [line for line in trial.server.lines() if "got no answer" in line]
    trial.check(lines and "writes=20" in lines[-1], f"the log says {lines}")


async def hello(trial, user):
    """A session that is live."""
    return await Peer.session(trial.server.port, trial.server.token(user), "phone")


async def sent(people, round_number):
    """Ten writes of each."""
    for person in people:
        for number in range(10):
            count = round_number * 10 + number
            person.write(text({"id": 1 + count, "type": "follow", "topic": f"person:{count}", "key": f"k{count}"}))
        await person.writer.drain()


async def answered(socket):
    """How many writes were answered with `ok` until the connection ended."""
    count = 0
    while "closed" not in (message := await socket.message(None)):
        count += "re" in message and "ok" in message
    return count


async def wrong_clocks(trial):
    """Run right, run forty days back, run right, restart: the log keeps what is seconds old."""
    await trial.begin(pairs=2, pace=0.05)
    for shift in (0, -40 * DAY, 0, 0):
        await trial.stop()
        trial.server.control.clock(shift)
        trial.town.tokens = {user: trial.server.token(user, shift=shift) for user in trial.town.tokens}
        if not trial.check(trial.start(), f"no start with the clock {shift} s away: {trial.server.lines()[-2:]}"):
            return
        trial.check(await trial.town.next_ok() is not None, "nothing was acknowledged")
        # Long enough for some marks of the log, of which one is made each second at most.
        await asyncio.sleep(3)
    head, entries = look_at_log(trial)
    trial.check(head == entries, f"of {head} entries of the log {entries} are left")
    trial.remark += f"{entries} of {head} entries kept."
    await trial.settle()


def look_at_log(trial):
    """The log's newest position and how many entries it has."""
    database = sqlite3.connect(f"file:{trial.server.data}/watchwise.db?mode=ro", uri=True)
    try:
        return database.execute("SELECT max(seq), count(*) FROM changes").fetchone()
    finally:
        database.close()


ALL = {
    "failed-read": failed_read,
    "own-log": own_log,
    "slow-stop": slow_stop,
    "wrong-clocks": wrong_clocks,
}
