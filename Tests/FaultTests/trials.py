"""The trials: the faults, and the conditions that must be true during and after them."""

import asyncio
import errno
import json
import time

import healing
import logs
from trial import fill
from Trials.device import Peer, text

YEARS = 20 * 365 * 86400


async def broken_disk(trial, reason, lift, seconds):
    """Writes have begun to fail: checks the answers meanwhile, and again after `lift`."""
    town = trial.town
    body = await trial.until("/readyz", 503, 5)
    if not trial.check(body is not None, "/readyz did not say that the server is not ready"):
        return
    trial.check(reason in body, f"/readyz says {body!r}")
    await town.drain()
    refused, acknowledged = len(town.refusals), len(town.acknowledged)
    end = time.monotonic() + seconds
    reads = 0
    while time.monotonic() < end:
        for left, right in town.pairs:
            reply = await town.devices[left, "tablet"].ask({"type": "history", "chat": f"{left}:{right}"}, 2)
            reads += trial.check("ok" in reply, f"a read was refused: {reply}")
        await asyncio.sleep(0.1)
    trial.check((await trial.status("/healthz"))[0] == 200, "/healthz is not 200")
    stats = json.loads((await trial.admin("/v1/stats"))[1])
    trial.check(reason in stats["ready"], f"stats say {stats['ready']!r}")
    trial.check("watchwise_storage_failing 1" in (await trial.status("/metrics"))[1], "/metrics does not say it")
    trial.check(len(town.acknowledged) == acknowledged, "something was acknowledged while nothing can be written")
    new = town.refusals[refused:]
    trial.check(new, "no write was refused")
    for refusal in new:
        if not (refusal["class"] == "retry" and refusal["code"] == "unavailable" and reason in refusal["message"]):
            trial.check(False, f"refused with {refusal}")
            break
    told = [line for line in trial.server.lines() if "level=error" in line]
    lines, trial.told = told[trial.told :], len(told)
    trial.check(lines and any(reason in line for line in lines), "the log does not say why")
    trial.check(len(lines) <= 8, f"{len(lines)} lines in the log for one fault")
    lift()
    began = time.monotonic()
    trial.check(await town.next_ok(10) is not None, "nothing was acknowledged afterwards")
    trial.check(await trial.until("/readyz", 200, 5) is not None, "/readyz did not become ready")
    back = time.monotonic() - began
    trial.check(back < 5, f"writes and readiness came back after {back:.1f} s")
    await asyncio.sleep(0.3)
    trial.remark += f"{reads} reads meanwhile, back after {back:.2f} s. "


async def full_disk(trial):
    """ENOSPC from every write of the data folder."""
    await trial.begin()
    for _ in range(1 if trial.is_quick else 5):
        trial.server.control.fail("write", errno.ENOSPC, half=trial.chance.random() < 0.5)
        await broken_disk(trial, "the disk is full", trial.server.control.clear, 1)
    await trial.settle()


async def full_volume(trial):
    """A small file system that is really full; then another file on it is removed."""
    volume = trial.small_volume(12 if trial.is_quick else 48)
    await trial.begin(data=volume / "data")
    filler = volume / "filler"
    starts = 0
    for _ in range(1 if trial.is_quick else 5):
        fill(filler)
        await broken_disk(trial, "the disk is full", filler.unlink, 1)
        # A server that dies while its disk is full: the next one serves the stored data, or says why it cannot start.
        fill(filler)
        trial.server.kill()
        if trial.start():
            starts += 1
            trial.check(await trial.until("/readyz", 503, 5) is not None, "ready on a full disk after a start")
        else:
            said = trial.server.lines()[-1]
            trial.check(trial.server.process.returncode == 1 and said.startswith("watchwise: "), f"it ended: {said!r}")
        filler.unlink()
        if trial.server.process.poll() is not None:
            trial.check(trial.start(), "no start with room again")
        trial.check(await trial.town.next_ok(10) is not None, "nothing was acknowledged after a start on a full disk")
    trial.remark += f"{starts} starts on the full disk."
    await trial.settle()


async def failed_flush(trial):
    """fsync fails for a while; the server continues; then the power fails: every acknowledged write is on the disk."""
    await trial.begin(shadow=True)
    for _ in range(1 if trial.is_quick else 10):
        trial.server.control.fail("sync", errno.EIO)
        await broken_disk(trial, "does not confirm", trial.server.control.clear, 0.5)
    await power_cut(trial)
    await trial.settle()


async def flush_then_death(trial):
    """fsync fails, the process dies, another starts with the kernel's pages, and then the power fails.

    A commit that could not be flushed is in the log as the kernel shows it. A repetition of its key is answered from it, and
    the write must survive the power failure.
    """
    rounds = 3 if trial.is_quick else 40
    await trial.begin(shadow=True)
    for _ in range(rounds):
        first = trial.server.control.fail("sync", errno.EIO, nth=trial.chance.randint(1, 4))
        while trial.server.control.get("sync", "calls") < first:
            await asyncio.sleep(0.01)
        await asyncio.sleep(trial.chance.uniform(0, 0.1))
        trial.server.kill()
        trial.server.control.clear()
        trial.check(trial.start(), f"it did not start again: {trial.server.lines()[-3:]}")
        trial.check(await trial.town.next_ok() is not None, "nothing was acknowledged after the restart")
        await asyncio.sleep(trial.chance.uniform(0, 0.2))
        await power_cut(trial)
    await trial.settle()
    trial.remark += f"{rounds} rounds."


async def slow_flush(trial):
    """Every fsync takes 400 ms: writes are slow, nothing else is."""
    await trial.begin()
    usual, _ = await waits(trial, 2)
    trial.server.control.slow("sync", 0.4)
    before = len(trial.town.acknowledged)
    pings, reads = await waits(trial, 5 if trial.is_quick else 60)
    trial.check((await trial.status("/readyz"))[0] == 200, "a slow disk is no reason not to be ready")
    slow = len(trial.town.acknowledged) - before
    trial.check(slow > 0, "nothing was acknowledged")
    # On a busy machine pings are slow, too; the disk must not make them slower.
    trial.check(pings < max(50, 3 * usual), f"pings took {pings:.0f} ms at the 99th of 100, usually {usual:.0f}")
    trial.check(max(pings, reads) < 200, f"pings took {pings:.0f} ms, reads {reads:.0f} ms at the 99th of 100")
    trial.server.control.clear()
    trial.remark += f"{slow} while slow; p99 of pings {pings:.1f} ms (before {usual:.1f}), of reads {reads:.1f} ms."
    await trial.settle()


async def waits(trial, seconds):
    """For how many milliseconds pings and reads wait, at the 99th of 100."""
    pings, reads = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for times, user, command in (
                (pings, "a0", {"type": "ping"}), (reads, "b0", {"type": "history", "chat": "a0:b0", "limit": 20})):
            began = time.monotonic()
            reply = await trial.town.devices[user, "tablet"].ask(command)
            times.append(time.monotonic() - began)
            trial.check("ok" in reply, f"{reply}")
        await asyncio.sleep(0.005)
    return [sorted(times)[int(len(times) * 0.99)] * 1000 for times in (pings, reads)]


async def stuck_flush(trial):
    """An fsync that does not come back for seven seconds: not ready until it does."""
    await trial.begin(pairs=1)
    trial.server.control.slow("sync", 7)
    body = await trial.until("/readyz", 503, 6.9)
    trial.check(body is not None and "has not answered" in body, f"/readyz says {body!r}")
    trial.server.control.clear()
    trial.check(await trial.until("/readyz", 200, 9) is not None, "/readyz did not become ready again")
    await trial.settle()


async def nth_call(trial):
    """The Nth write or fsync from now fails, once or a few times, with one error or another."""
    await trial.begin(shadow=True)
    strikes = 12 if trial.is_quick else 300
    for number in range(strikes):
        kind = "write" if number % 2 else "sync"
        nth = trial.chance.randint(1, 60 if kind == "write" else 6)
        count = trial.chance.choice((1, 1, 2, 5))
        error = trial.chance.choice((errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS))
        first = trial.server.control.fail(kind, error, nth, count, half=trial.chance.random() < 0.5)
        deadline = time.monotonic() + 3
        while trial.server.control.get(kind, "calls") < first + count - 1 and time.monotonic() < deadline:
            await asyncio.sleep(0.005)
        text = f"{kind} {nth}, {count} times, {errno.errorcode[error]}"
        trial.check(time.monotonic() < deadline, f"{text}: did not happen")
        trial.server.control.clear()
        if not trial.check(await trial.town.next_ok(5) is not None, f"{text}: nothing was acknowledged afterwards"):
            break
        if number % 25 == 24:
            await power_cut(trial)
    await power_cut(trial)
    await trial.settle()
    trial.remark += f"{strikes} strikes."


async def power_cut(trial):
    """Kills the server and starts another with the content of the disk."""
    trial.server.kill()
    trial.server.control.clear()
    trial.server.cut_power()
    trial.check(trial.start(), f"no start after the power cut: {trial.server.lines()[-3:]}")
    trial.check(await trial.town.next_ok() is not None, "nothing was acknowledged after the power cut")


async def start_and_stop(trial):
    """The Nth call of a start or of a stop fails: the server starts or says why not, and the database stays whole."""
    await trial.begin()
    # The writer opens files first, from the eighth on the readers do.
    few = {"open": range(7, 15), "write": range(1, 4), "sync": range(1, 4), "truncate": range(1, 4)}
    places = [(kind, nth) for kind in few for nth in (few[kind] if trial.is_quick else range(1, 31))]
    refused = 0
    for kind, nth in places:
        # Half of them find the log of a dead process, half a closed database.
        if trial.chance.random() < 0.5:
            trial.server.kill()
        else:
            trial.server.control.fail(kind, errno.EIO, nth)
            code = await trial.stop()
            trial.check(code == 0, f"{kind} {nth} at the stop: ended with {code}")
            trial.server.control.clear()
        trial.server.control.fail(kind, trial.chance.choice((errno.EIO, errno.ENOSPC)), nth, count=1)
        if not trial.start():
            refused += 1
            trial.check(trial.server.process.returncode == 1, f"{kind} {nth}: exit {trial.server.process.returncode}")
            trial.check(trial.server.lines()[-1].startswith("watchwise: "), f"{kind} {nth}: it says {trial.server.lines()[-1]!r}")
            trial.server.control.clear()
            trial.check(trial.start(), f"{kind} {nth}: no start afterwards")
        trial.server.control.clear()
        if not trial.check(await trial.town.next_ok(10) is not None, f"{kind} {nth}: nothing acknowledged after it"):
            break
    await trial.settle()
    trial.remark += f"{len(places)} starts and stops, {refused} starts refused."


async def clock_jumps(trial):
    """The wall clock jumps by twenty years, forward and back, while people write, and across a restart."""
    await trial.begin(arguments=("--heartbeat", "500"))
    town = trial.town
    ends = {key: len(device.ends) for key, device in town.devices.items()}
    for offset in (YEARS, 0, -YEARS, 0, YEARS, -YEARS, 0):
        trial.server.control.clock(offset)
        for _ in range(2 if trial.is_quick else 10):
            await asyncio.sleep(0.5)
            trial.check(await town.next_ok(3) is not None, f"nothing was acknowledged {offset} s away")
        if offset:
            held = await trial.until("/metrics", 200, 1)
            trial.check("watchwise_clock_held 1" in held, "/metrics does not say that the clock is held")
        trial.check((await trial.status("/readyz"))[0] == 200, "not ready because of the clock")
        ok = (await town.devices["a0", "tablet"].ask({"type": "ping"}))["ok"]
        trial.check(ok["time"][:4] == time.strftime("%Y", time.gmtime()), f"the time is {ok['time']}")
    for key, device in town.devices.items():
        trial.check(len(device.ends) == ends[key], f"{key} was disconnected: {device.ends[-1:]}")
    # A new process can compare a clock only with the expiry of tokens.
    for offset in (-YEARS, 0):
        await trial.stop()
        trial.server.control.clock(offset)
        town.tokens = {
            user: trial.server.token(user, shift=offset) for user in town.tokens}
        trial.check(trial.start(), "no start with another clock")
        trial.check(await town.next_ok() is not None, f"nothing was acknowledged after a restart {offset} s away")
        await asyncio.sleep(0.5)
    await trial.settle()


async def stalled_clients(trial):
    """Clients that stop in the middle of a head, of a hello, of a frame: others do not notice, and they are disconnected."""
    await trial.begin(arguments=("--heartbeat", "2000"))
    count = 20 if trial.is_quick else 200
    stalled = []

    users = sorted(trial.town.tokens)

    async def stall(kind, user):
        if kind == "head":
            reader, writer = await asyncio.open_connection("127.0.0.1", trial.server.port)
            writer.write(b"GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgr")
            return reader, writer
        socket = await Peer.socket(trial.server.port)
        hello = text({"id": 0, "type": "hello", "token": trial.town.tokens[user]})
        if kind == "hello":
            socket.write(hello[:len(hello) // 2])
        else:
            socket.write(hello)
            await socket.message()
            socket.write(text({"type": "ping", "id": "x" * 100})[:50])
        return socket.reader, socket.writer

    for number in range(count):
        for kind in ("head", "hello", "frame"):
            reader, writer = await stall(kind, users[number % len(users)])
            stalled.append((kind, time.monotonic(), asyncio.create_task(gone(reader)), writer))
    waits = []
    deadline = time.monotonic() + 14
    while time.monotonic() < deadline and not all(task.done() for _, _, task, _ in stalled):
        began = time.monotonic()
        reply = await trial.town.devices["a0", "tablet"].ask({"type": "ping"})
        waits.append(time.monotonic() - began)
        trial.check("ok" in reply, f"{reply}")
        await asyncio.sleep(0.01)
    longest = {}
    for kind, began, task, writer in stalled:
        if trial.check(task.done(), f"a client that stalled in its {kind} is still there"):
            longest[kind] = max(longest.get(kind, 0), task.result() - began)
        writer.close()
    figure = sorted(waits)[int(len(waits) * 0.99)] * 1000
    trial.check(figure < 250, f"pings of others took {figure:.0f} ms at the 99th of 100")
    spans = ", ".join(f"{kind} {span:.1f} s" for kind, span in longest.items())
    trial.remark += f"{3 * count} stalled, ended within: {spans}; p99 of others' pings {figure:.1f} ms."
    await trial.settle()


async def gone(reader):
    """When the server has ended the connection."""
    try:
        while await reader.read(65536):
            pass
    except OSError:
        pass
    return time.monotonic()


ALL = {
    "full-disk": full_disk,
    "full-volume": full_volume,
    "failed-flush": failed_flush,
    "flush-then-death": flush_then_death,
    "slow-flush": slow_flush,
    "stuck-flush": stuck_flush,
    "nth-call": nth_call,
    "start-and-stop": start_and_stop,
    "clock-jumps": clock_jumps,
    "stalled-clients": stalled_clients,
} | healing.ALL | logs.ALL
