"""Calls of the application over HTTP, to one node after the other."""

import asyncio
import json

import aiohttp

from session import LOST_ERRORS, Lost


class Caller:
    """An administrator's connection. After each failure, and now and then, it goes to the next node."""

    def __init__(self, world, number):
        self.world, self.place = world, number

    @property
    def node(self):
        return self.world.nodes[self.place % len(self.world.nodes)]

    async def call_once(self, method, path, body=None, headers=None, node=None):
        """One request. Raises Lost when there is no answer; returns the status and the value."""
        if node is None and self.world.chance.random() < 0.02:
            self.place += 1
        headers = {"Authorization": f"Bearer {self.world.admin}", **(headers or {})}
        try:
            async with self.world.http.request(
                    method, f"{(node or self.node).url}{path}", data=None if body is None else json.dumps(body),
                    headers=headers, timeout=aiohttp.ClientTimeout(total=15, sock_connect=2, sock_read=13)) as answer:
                text = await answer.text()
                value = json.loads(text) if text else {}
        except LOST_ERRORS:
            self.place += 1
            raise Lost() from None
        if answer.status >= 500 or answer.status == 429:
            self.world.refusals.append((self.world.now(), value.get("code")))
        return answer.status, value

    async def call(self, method, path, body=None, headers=None, node=None):
        """The same until there is an answer other than "later"."""
        pause = 0.05
        while True:
            try:
                status, value = await self.call_once(method, path, body, headers, node)
                if status < 500 and status != 429:
                    return status, value
            except Lost:
                pass
            await asyncio.sleep(pause)
            pause = min(1.0, pause * 2)
