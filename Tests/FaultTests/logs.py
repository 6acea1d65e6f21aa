"""Trials of a log that cannot be written: standard error on the full disk of the data, closed, and deaf. Only lines are lost."""

import asyncio
import fcntl
import os
import signal
import time

from trial import fill

GAP = "lines of the log could not be written"


async def lose_lines(trial):
    """Makes the server write lines until one of them is lost; whether that happened."""
    lost = await trial.metric("log_lines_lost_total")
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        trial.server.send(signal.SIGHUP)
        await asyncio.sleep(0.02)
        if await trial.metric("log_lines_lost_total") > lost:
            return True
    return trial.check(False, "no line was lost")


async def serves(trial):
    """The server takes writes and is ready, though nobody reads what it says."""
    trial.check(await trial.town.next_ok(10) is not None, "nothing was acknowledged without a log")
    trial.check((await trial.status("/readyz"))[0] == 200, "not ready because of the log")


async def log_on_the_full_disk(trial):
    """The form of the README's first minute, `2>server.log` beside the data, on a disk that becomes full."""
    volume = trial.small_volume(12 if trial.is_quick else 48)
    log, filler = volume / "server.log", volume / "filler"
    rounds = 1 if trial.is_quick else 5
    with open(log, "ab") as errors:
        await trial.begin(data=volume / "data", errors=errors)
        for number in range(rounds):
            fill(filler)
            body = await trial.until("/readyz", 503, 5)
            trial.check(body is not None and "the disk is full" in body, f"/readyz says {body!r}")
            await lose_lines(trial)
            refused = len(trial.town.refusals)
            await asyncio.sleep(0.5)
            trial.check(len(trial.town.refusals) > refused, "no write was refused")
            filler.unlink()
            trial.check(await trial.until("/readyz", 200, 5) is not None, "/readyz did not become ready")
            await serves(trial)
            trial.server.send(signal.SIGHUP)
            await asyncio.sleep(0.2)
            told = log.read_text(errors="replace").count(GAP)
            trial.check(told > number, f"the log speaks of {told} gaps after {number + 1}")
        await trial.settle()
    lines = log.read_text(errors="replace").splitlines()
    # The last bytes on the disk may be the first ones of a line: then that line is `ti`, and the next one is whole.
    strange = [line for line in lines if not line.startswith(("time=", "watchwise")) and not (line and "time=".startswith(line))]
    trial.check(not strange, f"torn lines: {strange}")
    trial.remark += f"{rounds} times full, {len(lines)} lines."


async def log_without_reader(trial):
    """What `tee` or `logger` does when it ends: standard error is a pipe that nobody has open."""
    reading, writing = os.pipe()
    await trial.begin(errors=writing)
    os.close(writing)
    await serves(trial)
    os.close(reading)
    await lose_lines(trial)
    await serves(trial)
    await trial.settle()


async def log_closed(trial):
    """`2>&-`: the number of standard error is free, and no file or connection of the server may get it."""
    await trial.begin(wrap=["sh", "-c", 'exec "$@" 2>&-', "sh"])
    for _ in range(50):
        trial.server.send(signal.SIGHUP)
        await asyncio.sleep(0.01)
    await serves(trial)
    place = f"/proc/{trial.server.pid}/fd/2"
    target = os.readlink(place) if os.path.lexists(place) else "nothing"
    trial.check(target in ("nothing", "/dev/null"), f"number 2 is {target}")
    trial.remark += f"Number 2 is {target}."
    await trial.settle()


async def log_deaf(trial):
    """A pipe that stays open and is not read is full after a while: no thread waits for it, and the gap is named once it is read."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    await trial.begin(errors=writing)
    os.close(writing)
    await lose_lines(trial)
    began = time.monotonic()
    for _ in range(100):
        trial.server.send(signal.SIGHUP)
    await serves(trial)
    trial.check(time.monotonic() - began < 5, "the server waited for its log")
    os.set_blocking(reading, False)
    heard = b""
    deadline = time.monotonic() + 10
    while GAP.encode() not in heard and time.monotonic() < deadline:
        try:
            heard += os.read(reading, 1 << 16)
        except BlockingIOError:
            trial.server.send(signal.SIGHUP)
            await asyncio.sleep(0.05)
    trial.check(GAP.encode() in heard, f"the log does not speak of its gap: {heard[-300:]!r}")
    await trial.settle()
    os.close(reading)


ALL = {
    "log-on-the-full-disk": log_on_the_full_disk,
    "log-without-reader": log_without_reader,
    "log-closed": log_closed,
    "log-deaf": log_deaf,
}
