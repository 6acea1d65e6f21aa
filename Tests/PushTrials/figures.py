#!/usr/bin/env python3
"""Measures pushing with the real server and the fakes: the delay from the commit to the provider's request, pushes for
each second of the server's CPU, and chat while a topic's devices are pushed, with the server's memory.

The last line is "N passed, M failed": a figure that misses its goal fails. Other work on the machine spoils figures."""

import asyncio
import json
import multiprocessing
import secrets
import statistics
import subprocess
import sys
import time
from pathlib import Path

from server import Providers, Server, Session, device_token, register_all, wait

from fakes import Fake
from Trials import verdict
from Trials.server import free_port

TOPIC = "person:525"


def arguments():
    parser = verdict.Arguments(__doc__, build="release")
    parser.add_argument("--devices", type=int, default=100_000, help="devices of the topic (default 100000)")
    return parser.parse_args()


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Sheet(verdict.Verdict):
    """The figures, each with its goal."""

    def add(self, what: str, value: float, unit: str, goal: float | None = None, is_least: bool = False) -> None:
        line = f"{what:58} {value:10.1f} {unit}"
        if goal is not None:
            is_met = value >= goal if is_least else value <= goal
            self.passed, self.failed = self.passed + is_met, self.failed + (not is_met)
            line += f"   goal: {'at least' if is_least else 'at most'} {goal:g}{'' if is_met else '   MISSED'}"
        print(line, flush=True)


def wait_for(condition, seconds: float, pause: float = 0.05) -> None:
    if not wait(condition, seconds, pause):
        raise TimeoutError(f"not within {seconds:.0f} s")


def ended(server: Server, broadcast: str, devices: int):
    """Whether all devices of a broadcast have been answered for."""
    def check() -> bool:
        counts = server.call("GET", f"/v1/broadcasts/{broadcast}")
        return counts["pushed"] + counts["skipped"] + counts["failed"] >= devices

    return check


def delays(server: Server, providers: Providers, sheet: Sheet) -> None:
    """One device, nobody connected: from the commit to the provider's request."""
    asyncio.run(register_all(server, ["alone"]))
    providers.pushes()
    times = []
    for number in range(300):
        sent = server.call("POST", "/v1/broadcasts", {"audience": "user:alone", "title": f"{number}"})
        before = time.time()
        found: list[dict] = []
        while not found and time.time() < before + 10:
            time.sleep(0.01)
            found = providers.pushes()
        at = server.call("GET", f"/v1/broadcasts/{sent['id']}")["at"]
        committed = time.mktime(time.strptime(at[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone + float(at[19:-1])
        times.append((found[0]["at"] - committed) * 1000)
    sheet.add("commit to the request at the fake of APNs, p50", percentile(times, 0.5), "ms")
    sheet.add("commit to the request at the fake of APNs, p99", percentile(times, 0.99), "ms", goal=50)


def cost(server: Server, title: str, audience: str, devices: int, goal: float, sheet: Sheet) -> None:
    """Pushes for each second of the server's CPU: the median of some broadcasts, since machines are slower at times."""
    rates = []
    for _ in range(5):
        before = server.cpu_seconds()
        sent = server.call("POST", "/v1/broadcasts", {"audience": audience, "title": title})
        # Each look costs the server CPU, too.
        wait_for(ended(server, sent["id"], devices), 300, pause=0.5)
        counts = server.call("GET", f"/v1/broadcasts/{sent['id']}")
        rates.append(counts["pushed"] / (server.cpu_seconds() - before))
    between = f"{min(rates):.0f} to {max(rates):.0f}"
    sheet.add(f"{title} for each second of CPU ({between})", statistics.median(rates), "/s", goal, True)


class FastPeer:
    """nghttpd, which answers 200 to each device of some users. The fake answers one request after the other, so that the
    server pays a turn of its loop for each; a real service answers many at once."""

    def __init__(self, folder: Path, users: list[str]):
        devices = folder / "root" / "3" / "device"
        devices.mkdir(parents=True)
        for user in users:
            (devices / device_token(user)).touch()
        port = free_port()
        self.url = f"https://localhost:{port}"
        self.process = subprocess.Popen(
            ["nghttpd", "-d", str(folder / "root"), "--max-concurrent-streams=1000", str(port),
             str(folder / "server.key"), str(folder / "server.pem")])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


async def subscribe(server: Server, keys: dict, origin: str, users: list[str], topic: str) -> None:
    """Browsers of users, each with an endpoint of its own at the fake of Web Push."""
    left = iter(users)

    async def work() -> None:
        for user in left:
            async with Session(server, user, "browser") as session:
                await session.ask("device", platform="webpush",
                                  subscription={"endpoint": f"{origin}/201/{user}", "keys": keys})
                await session.ask("follow", topic=topic)

    await asyncio.gather(*(work() for _ in range(32)))


async def chat(server: Server, stop, times) -> None:
    """Two people who chat: from `send` to the other's event."""
    async with Session(server, "ann") as ann, Session(server, "ben") as ben:
        await ann.ask("follow", topic="user:ben")
        number, play = 0, secrets.token_hex(4)
        while not stop.is_set():
            number += 1
            began = time.perf_counter()
            ann.send({"id": f"c{number}", "type": "send", "to": "ben", "key": f"{play}-{number}", "text": "Have you seen it?"})
            while (message := await ben.next())["type"] != "message":
                pass
            times.append((time.perf_counter() - began) * 1000)
            ben.send({"type": "ack", "seq": message["seq"]})
            while (await ann.next()).get("re") != f"c{number}":
                pass
            await asyncio.sleep(0.03)


def chat_process(server: Server, stop, queue) -> None:
    times: list[float] = []
    asyncio.run(chat(server, stop, times))
    queue.put(times)


def chats(server: Server):
    """A process that chats until its event is set, and then gives its times."""
    stop, queue = multiprocessing.Event(), multiprocessing.Queue()
    process = multiprocessing.Process(target=chat_process, args=(server, stop, queue))
    process.start()
    return stop, queue, process


def chat_while(server: Server, seconds: float | None, condition) -> list[float]:
    stop, queue, process = chats(server)
    if seconds:
        time.sleep(seconds)
    else:
        wait_for(condition, 3600)
    stop.set()
    times = queue.get(timeout=60)
    process.join()
    return times


def topic(server: Server, devices: int, sheet: Sheet) -> None:
    """All devices of a topic, at the pace of the setting, while two people chat."""
    users = [f"fan{number}" for number in range(devices)]
    began = time.monotonic()
    asyncio.run(register_all(server, users, follow=TOPIC))
    print(f"{devices} devices registered in {time.monotonic() - began:.0f} s", flush=True)
    quiet = chat_while(server, 15, None)
    memory = server.resident()
    began = time.monotonic()
    sent = server.call("POST", "/v1/broadcasts", {"audience": TOPIC, "title": "In cinemas"})
    busy = chat_while(server, None, ended(server, sent["id"], devices))
    seconds = time.monotonic() - began
    jobs = server.call("GET", "/v1/push/jobs?limit=50")["jobs"]
    rows = sum(job.get("pushed", 0) + job.get("skipped", 0) + job.get("failed", 0) >= devices for job in jobs)
    sheet.add(f"a topic of {devices} devices, all", seconds, "s")
    sheet.add("rows of its job", rows, "", goal=1)
    sheet.add(f"chat p99 before ({len(quiet)} messages)", percentile(quiet, 0.99), "ms")
    sheet.add(f"chat p99 while it is pushed ({len(busy)} messages)", percentile(busy, 0.99), "ms", goal=50)
    sheet.add("memory that pushing them added", (server.resident() - memory) / 1e6, "MB", goal=20)


def play(sheet: Sheet, folder: Path) -> None:
    providers = Providers(folder)
    browser = Fake("webpush", folder, "--subscription", str(folder / "subscription.json"))
    subscription = json.loads((folder / "subscription.json").read_text())
    settings = [*providers.settings(), "--push-contact", "mailto:operator@example.org"]
    server = Server(OPTIONS.program, folder, [*settings, "--push-rate", "100000"])
    server.start()
    delays(server, providers, sheet)
    phones = [f"phone{number}" for number in range(10_000)]
    asyncio.run(register_all(server, phones, follow="show:phones"))
    server.stop()
    peer = FastPeer(folder, phones)
    server.start(*(peer.url if word == providers.apns.url else word for word in server.options))
    cost(server, "APNs requests", "show:phones", 10_000, 10_000, sheet)
    peer.stop()
    asyncio.run(subscribe(server, subscription["keys"], browser.url, [f"web{number}" for number in range(4000)], "show:web"))
    cost(server, "Web Pushes", "show:web", 4000, 2000, sheet)
    server.stop()
    server.start(*settings)
    topic(server, OPTIONS.devices, sheet)
    sheet.equal("the server ends with 0", server.stop(), 0)
    providers.stop()
    browser.__exit__()


if __name__ == "__main__":
    OPTIONS = arguments()
    sys.exit(verdict.run(play, Sheet(), "push-figures"))
