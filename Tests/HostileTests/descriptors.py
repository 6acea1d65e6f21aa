"""A server without free descriptors: its connections continue, nothing spins, and new ones are possible soon after."""

import asyncio
import resource
import time

from house import House
from Trials.device import Peer
from Trials.verdict import Verdict


async def out_of_descriptors(options):
    verdict = Verdict()

    def check(what, good):
        verdict.check(f"out of descriptors: {what}", good)

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # By its own bound, which leaves it some; and with none at all, since its limit falls while it runs.
    for way, limits in (("its own bound", (100, 100)), ("no descriptor left", (100, hard))):
        house = House(options.binary, "--log-level", "info", descriptors=limits)
        session = await Peer.session(house.port, house.token("alice"), "phone")
        if way != "its own bound":
            raised = resource.prlimit(house.pid, resource.RLIMIT_NOFILE)[0]
            check(f"the soft limit of 100 was raised to {raised}", raised == hard)
            said = "\n".join(house.lines())
            check("the log says how many connections that allows", f"event=descriptors limit={hard} connections=" in said)
            house.limit_descriptors(*(house.descriptors() + 20,) * 2)
        crowd = [await Peer.open(house.port) for _ in range(120)]
        await asyncio.sleep(0.3)
        cpu, began, worst = house.cpu_seconds(), time.monotonic(), 0
        for number in range(100):
            asked = time.monotonic()
            reply = await session.ok({"id": number + 1, "type": "ping"})
            worst = max(worst, time.monotonic() - asked)
            await asyncio.sleep(0.01)
        share = (house.cpu_seconds() - cpu) / (time.monotonic() - began)
        check(f"{way}: a session is served, slowest ping {worst * 1000:.0f} ms", "ok" in reply and worst < 0.25)
        check(f"{way}: nothing spins: {share:.0%} of a core", share < 0.3)
        for peer in crowd:
            peer.close()
        began, status = time.monotonic(), 0
        while status != 200 and time.monotonic() - began < 5:
            try:
                peer = await Peer.open(house.port, b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                status, _, _ = await peer.answer(2)
                peer.close()
            except (OSError, TimeoutError):
                await asyncio.sleep(0.02)
        took = time.monotonic() - began
        check(f"{way}: new ones are served {took * 1000:.0f} ms after there is room", status == 200 and took < 1)
        check(f"{way}: it stops in order", house.stop() == 0)
    return verdict.passed, verdict.failed
