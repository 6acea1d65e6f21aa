"""Attacks without a token, where the rules open documents to anyone."""

import asyncio
import itertools

from adversary import Holder, Trial
from attacks import request
from costs import KEYS, SMALL, attack_with, command, key, large_documents, own

OPENED = {"users/{user}": {"read": "anyone", "write": "owner"}}
PATHS = itertools.count()


def stream(*paths):
    return request("GET", f"/v1/events?watch={','.join(paths)}&inbox=off")


def new_paths(count):
    """Documents that nobody has watched before, and that do not exist."""
    return [f"users/s{next(PATHS)}" for _ in range(count)]


async def streams(field):
    """Open streams, each with sixteen watched paths, which is the maximum."""
    await field.hold(field.size(300, 900, 100), lambda number: stream(*new_paths(16)))


async def brief_streams(field):
    """Streams that end as soon as they have begun, each with paths of its own."""
    async def one(number):
        while field.goesOn:
            made = await field.connect(number, lambda: Holder(field, stream(*new_paths(16))))
            if made:
                await asyncio.wait([made.over], timeout=0.2)
                made.transport.abort()
    await asyncio.gather(*(one(number) for number in range(field.size(50, 200, 20))))


async def streams_not_taken(field):
    """Streams of large documents that change all the time, on sockets that read nothing."""
    def patches(gun, sent):
        return command("patch", path=f"users/{own(gun)}", data={"n": next(KEYS)}, key=key())
    await asyncio.gather(
        field.hold(field.size(300, 900, 100), lambda number: stream("users"), isDeaf=True),
        *(attack_with(field, number, patches, 20) for number in range(4)))


async def reads_not_taken(field):
    """Large documents and whole collections, read one after the other; no answer is taken."""
    def reads(number):
        one = request("GET", f"/v1/documents/users/{field.user(number)}") + request("GET", "/v1/documents/users?limit=100")
        return one * 12
    await field.hold(field.size(300, 900, 100), reads, isDeaf=True)


TRIALS = [
    Trial("16", "no token: streams with sixteen watches", streams, rules=OPENED, rows={"streams": 200}),
    Trial("16", "no token: streams that begin and end", brief_streams, rules=OPENED, rows={"streams": 200}, inQuick=False),
    Trial("16", "no token: streams, not taken", streams_not_taken, large_documents, rules=OPENED, disk=SMALL, inQuick=False),
    Trial("16", "no token: reads, not taken", reads_not_taken, large_documents, rules=OPENED, disk=SMALL, inQuick=False),
]
