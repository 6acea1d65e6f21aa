#!/usr/bin/env python3
"""Compares what the real server does with every answer of push services with the tables of the pages: all reasons of APNs,
codes of FCM, ways in which a connection ends, and endpoints of Web Push that mean harm. One device stands for one answer.

The last line is "N passed, M failed"; a device is one check."""

import asyncio
import json
import sys
import time
from pathlib import Path

from server import TOPIC, Providers, Server, Session, try_parts

from apns import REASONS, SUFFIXES
from fakes import Fake, write_certificates
from service import Ending
from Trials.verdict import Verdict

MISCONFIGURED = {"DeviceTokenNotForTopic", "BadTopic", "TopicDisallowed", "MissingTopic"}
# The first such answer makes the whole platform wait, so each has a server of its own.
OF_PLATFORM = set(REASONS[403]) | {"TooManyProviderTokenUpdates"}

# The tries of a Web Push, and the requests that its service gets, by how the first request ends: on a connection that is
# new, and on one that has carried an answer. Where a try has two requests, libcurl has repeated the first.
ENDINGS = {
    Ending.GOAWAY: ((1, 1), (1, 1)), Ending.SHUTDOWN: ((2, 2), (2, 2)), Ending.CUT: ((2, 2), (2, 2)),
    Ending.REFUSE: ((1, 2), (1, 2)), Ending.RESET: ((2, 2), (2, 2)), Ending.ENDLESS_BODY: ((2, 2), (2, 2)),
    Ending.ENDLESS_HEAD: ((2, 2), (1, 2)), Ending.HUGE_HEAD: ((2, 3), (1, 2)),
}


def expected_of_apns(reason: str | Ending) -> tuple[str, bool, bool]:
    """The state of the try some seconds later, whether the device is still registered, whether it has a problem."""
    match reason:
        # Sent again at once, on a new connection.
        case Ending.GOAWAY | Ending.SHUTDOWN | Ending.CUT | Ending.REFUSE | Ending.RESET: return "sent", True, False
        # Too much of a head or a body is no answer; the fake gives 200 to the next try, after 5 s.
        case Ending(): return "sent", True, False
        case "Unregistered" | "ExpiredToken" | "BadDeviceToken": return "dropped", False, False
        case _ if reason in MISCONFIGURED: return "dropped", True, True
        case "TooManyRequests": return "open", True, False
        case "InternalServerError" | "ServiceUnavailable" | "Shutdown": return "open", True, False
        case _: return "dead", True, False


async def register(server: Server, devices: dict[str, dict], topic: str = "show:all") -> None:
    """Registers one device for each user, who follows the topic."""
    for user, fields in devices.items():
        async with Session(server, user) as session:
            await session.ask("device", **fields)
            await session.ask("follow", topic=topic)


def states(server: Server) -> dict[str, dict]:
    """The tries of the last job by user; a device that is gone counts under its number."""
    job = server.call("GET", "/v1/push/jobs?limit=1")["jobs"][0]["id"]
    found, after = {}, ""
    while True:
        page = server.call("GET", f"/v1/push/jobs/{job}?limit=200{after}")
        found.update({entry.get("user", entry["id"]): entry for entry in page["tries"]})
        if not page.get("next"):
            return found
        after = f"&after={page['next']}"


def settle(server: Server, count: int, is_settled, seconds: float) -> dict[str, dict]:
    until = time.monotonic() + seconds
    while True:
        found = states(server)
        if (len(found) >= count and is_settled(found)) or time.monotonic() > until:
            return found
        time.sleep(0.2)


def registered(server: Server) -> dict[str, dict]:
    """All devices by user, with their numbers."""
    return {device["user"]: device for device in server.call("GET", "/v1/push/devices?limit=200")["devices"]}


def token(suffix: str) -> str:
    return "ab" * 29 + suffix


def apns(binary: str, folder: Path, checks: Verdict) -> None:
    """All reasons that concern one device or one push, in one job."""
    providers = Providers(folder, "--gone-at", str(int(time.time() * 1000) + 60_000))
    server = Server(binary, folder, providers.settings())
    server.start()
    # An answer that never comes is judged after 20 s; it would hold up the page.
    wanted = {suffix: reason for suffix, reason in SUFFIXES.items()
              if reason not in OF_PLATFORM and reason is not Ending.SILENT}
    asyncio.run(register(server, {
        f"u{suffix}": {"platform": "apns", "token": token(suffix), "topic": TOPIC} for suffix in wanted}))
    before = registered(server)
    server.call("POST", "/v1/broadcasts", {"audience": "show:all", "title": "Answer me"})
    numbers = {user: device["id"] for user, device in before.items()}

    def state(found: dict[str, dict], suffix: str) -> str:
        entry = found.get(f"u{suffix}") or found.get(numbers[f"u{suffix}"]) or {"state": "none"}
        return entry["state"]

    def is_settled(found: dict[str, dict]) -> bool:
        return all(state(found, suffix) == expected_of_apns(reason)[0] for suffix, reason in wanted.items())

    found = settle(server, len(wanted), is_settled, 120)
    after = registered(server)
    for suffix, reason in wanted.items():
        device = after.get(f"u{suffix}")
        seen = (state(found, suffix), device is not None, bool(device and device.get("problem")))
        checks.equal(f"APNs {reason}", seen, expected_of_apns(reason))
    dead = server.call("GET", "/v1/dead?limit=200")["dead"]
    checks.equal("dead letters", sum(letter["kind"] == "push" for letter in dead),
                 sum(expected_of_apns(reason)[0] == "dead" for reason in wanted.values()))
    checks.equal("stop", server.stop(), 0)
    providers.stop()


def apns_platform(binary: str, folder: Path, checks: Verdict) -> None:
    """Reasons that make the platform wait: nothing more is sent, and both pushes wait for it."""
    for suffix, reason in SUFFIXES.items():
        if reason not in OF_PLATFORM:
            continue
        own = folder / suffix
        own.mkdir()
        providers = Providers(own)
        server = Server(binary, own, providers.settings())
        server.start()
        asyncio.run(register(server, {
            "first": {"platform": "apns", "token": token(suffix), "topic": TOPIC}}))
        server.call("POST", "/v1/broadcasts", {"audience": "user:first", "title": "Answer me"})
        found = settle(server, 1, lambda found: "status" in found.get("first", {}), 15)
        first = found.get("first", {})
        checks.equal(f"APNs {reason}", (first.get("state"), first.get("status")),
                     ("open", next(status for status, reasons in REASONS.items() if reason in reasons)))
        asyncio.run(register(server, {"second": {"platform": "apns", "token": token("aaaaaa"), "topic": TOPIC}}))
        server.call("POST", "/v1/broadcasts", {"audience": "user:second", "title": "Answer me"})
        found = settle(server, 1, lambda found: "second" in found, 10)
        checks.equal(f"after {reason} the platform waits", found.get("second", {}).get("state"), "open")
        checks.equal(f"after {reason} nothing is sent", providers.pushes(), [])
        log = (own / "server.log").read_text()
        checks.equal(f"one line about {reason}", log.count("a push service waits"), 1)
        checks.equal("stop", server.stop(), 0)
        providers.stop()


def web_push(binary: str, folder: Path, checks: Verdict) -> None:
    """Endpoints of Web Push: all that they answer, how they end connections, and those that mean harm."""
    providers = Providers(folder)
    fake = Fake("webpush", folder, "--subscription", str(folder / "subscription.json"))
    keys = json.loads((folder / "subscription.json").read_text())["keys"]
    server = Server(binary, folder, [*providers.settings(), "--push-contact", "mailto:operator@example.org"])
    server.start()
    # By the path at the fake, or the whole endpoint: the state, and whether the device is still registered.
    wanted = {
        "200/a": ("sent", True), "201/a": ("sent", True), "202/a": ("sent", True), "204/a": ("sent", True),
        "302/a": ("open", True), "307/a": ("open", True), "404/a": ("dropped", False), "410/a": ("dropped", False),
        "400/a": ("dropped", True), "401/a": ("dropped", True), "403/a": ("dropped", True), "413/a": ("dead", True),
        "507/a": ("open", True), "500/a": ("open", True), "418/a": ("open", True),
        # Addresses that are neither public nor allowed, and one where nobody listens.
        "https://10.0.0.1/push": ("open", True), "https://169.254.169.254/latest": ("open", True),
        "https://[::1]:443/push": ("open", True), "https://192.168.1.1:8443/": ("open", True),
        "https://127.0.0.1:9/push": ("open", True),
    }
    users = {f"w{number}": path for number, path in enumerate(wanted)}
    asyncio.run(register(server, {
        user: subscribed(path if path.startswith("https:") else f"{fake.url}/{path}", keys)
        for user, path in users.items()}))
    numbers = {user: device["id"] for user, device in registered(server).items()}
    memory = server.resident()
    server.call("POST", "/v1/broadcasts", {"audience": "show:all", "title": "Answer me"})

    def seen(found: dict[str, dict], user: str) -> str:
        return (found.get(user) or found.get(numbers[user]) or {"state": "none"})["state"]

    found = settle(server, len(users), lambda found: all(
        seen(found, user) == wanted[path][0] for user, path in users.items()), 30)
    after = registered(server)
    for user, path in users.items():
        checks.equal(f"Web Push {path}", (seen(found, user), user in after), wanted[path])
    asked = [line for line in fake.log("request") if line["path"].startswith("/201/a")]
    checks.equal("redirects are not followed", len(asked), 1)
    web_push_endings(server, folder, keys, checks)
    checks.equal("memory", server.resident() - memory < 64 << 20, True)
    checks.equal("stop", server.stop(), 0)
    fake.__exit__()
    providers.stop()


def subscribed(endpoint: str, keys: dict[str, str]) -> dict:
    return {"platform": "webpush", "subscription": {"endpoint": endpoint, "keys": keys}}


def web_push_endings(server: Server, folder: Path, keys: dict[str, str], checks: Verdict) -> None:
    """Each ending has a service of its own, since a connection that ends takes the other pushes on it with it. It comes
    once on a new connection, and once on one that has carried an answer: only there libcurl repeats some by itself."""
    endings = [ending for ending in Ending if ending is not Ending.SILENT]
    fakes = {ending: Fake("webpush", folder, "--subscription", str(folder / "subscription.json")) for ending in endings}
    for place, column in (("new", 0), ("used", 1)):
        asyncio.run(register(server, {
            f"{place}-{ending.value}": subscribed(f"{fakes[ending].url}/{ending.value}/{place}", keys)
            for ending in endings}, f"show:{place}"))
        server.call("POST", "/v1/broadcasts", {"audience": f"show:{place}", "title": "Answer me"})
        found = settle(server, len(endings), lambda found: all(
            entry["state"] == "sent" for entry in found.values()), 20)
        for ending in endings:
            entry = found.get(f"{place}-{ending.value}", {})
            requests = [line for line in fakes[ending].log("request") if line["path"].endswith(f"/{place}")]
            checks.equal(f"Web Push {ending.value} on a {place} connection: state, tries, requests",
                         (entry.get("state"), entry.get("attempts"), len(requests)),
                         ("sent", *ENDINGS[ending][column]))
            topics = {dict(line["headers"]).get("topic") for line in requests}
            checks.equal(f"the requests of {ending.value} have one topic", len(topics), 1)
    for fake in fakes.values():
        fake.__exit__()


def fcm(binary: str, folder: Path, checks: Verdict) -> None:
    """Answers of FCM by their codes; the fake holds each body against Google's own schema."""
    # The state, whether the device is still registered, and whether the platform waits.
    wanted = {
        "fine": ("sent", True, False), "UNREGISTERED": ("dropped", False, False),
        "SENDER_ID_MISMATCH": ("dropped", False, False), "INVALID_ARGUMENT": ("dropped", False, False),
        "OTHER_ARGUMENT": ("dead", True, False), "NOT_FOUND": ("dead", True, False),
        "INTERNAL": ("open", True, False), "UNAVAILABLE": ("open", True, False),
        "UNSPECIFIED_ERROR": ("open", True, False), "QUOTA_EXCEEDED": ("open", True, True),
        "THIRD_PARTY_AUTH_ERROR": ("open", True, True), "PERMISSION_DENIED": ("open", True, True),
    }
    for title, codes in (
            ("one push", [code for code, (_, _, waits) in wanted.items() if not waits]),
            *((code, [code]) for code, (_, _, waits) in wanted.items() if waits)):
        own = folder / title.replace(" ", "-")
        own.mkdir()
        write_certificates(own)
        fake = Fake("fcm", own, "--service-account", str(own / "account.json"))
        server = Server(binary, own, [
            "--outbound-authorities", str(own / "ca.pem"), "--push-allow", "127.0.0.0/8",
            "--fcm-service-account", str(own / "account.json"), "--fcm-url", fake.url])
        server.start()
        asyncio.run(register(server, {code: {"platform": "fcm", "token": f"device:{code}"} for code in codes}))
        numbers = {user: device["id"] for user, device in registered(server).items()}
        server.call("POST", "/v1/broadcasts", {"audience": "show:all", "title": "Rispondimi", "data": {"film": 525}})
        found = settle(server, len(codes), lambda found: all(
            (found.get(code) or found.get(numbers[code]) or {}).get("state") == wanted[code][0] for code in codes), 15)
        after = registered(server)
        waits = "a push service waits" in (own / "server.log").read_text()
        for code in codes:
            entry = found.get(code) or found.get(numbers[code]) or {"state": "none"}
            checks.equal(f"FCM {code}", (entry["state"], code in after, waits), wanted[code])
        problems = [line["problems"] for line in fake.log("request") if line.get("problems")]
        checks.equal("Google's schema finds nothing", problems, [])
        checks.equal("access tokens fetched", sum(line["path"] == "/token" for line in fake.log("request")), 1)
        checks.equal("stop", server.stop(), 0)
        fake.__exit__()


async def crowd(server: Server, checks: Verdict) -> None:
    """Ten thousand registrations of one user, and a target that another user takes."""
    left = iter(range(10_000))

    async def work() -> None:
        for number in left:
            try:
                async with Session(server, "greedy", f"d{number}") as session:
                    await session.ask("device", platform="apns", token=f"{number:064x}", topic=TOPIC)
            except OSError:
                # A bound on connections or commands is right, too.
                await asyncio.sleep(0.05)

    await asyncio.gather(*(work() for _ in range(16)))
    for user in ("owner", "thief"):
        async with Session(server, user) as session:
            await session.ask("device", platform="apns", token=token("aaaaaa"), topic=TOPIC)
    greedy = server.call("GET", "/v1/push/devices?user=greedy&limit=200")["devices"]
    checks.equal("devices of one user", len(greedy), 20)
    checks.equal("a target has one owner",
                 [len(server.call("GET", f"/v1/push/devices?user={user}")["devices"]) for user in ("owner", "thief")],
                 [0, 1])


def registrations(binary: str, folder: Path, checks: Verdict) -> None:
    providers = Providers(folder)
    server = Server(binary, folder, providers.settings())
    server.start()
    asyncio.run(crowd(server, checks))
    server.call("POST", "/v1/broadcasts", {"audience": "user:owner", "title": "For the owner"})
    time.sleep(1)
    checks.equal("the former owner's pushes ring for nobody", providers.pushes(), [])
    checks.equal("stop", server.stop(), 0)
    providers.stop()


if __name__ == "__main__":
    sys.exit(try_parts("answers", (apns, apns_platform, fcm, web_push, registrations)))
