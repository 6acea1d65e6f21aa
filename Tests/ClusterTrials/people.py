"""People besides the bots: what one of them asks of a node is answered by that node alone, and is kept with its time."""

import asyncio
import json
import time
from dataclasses import dataclass

import aiohttp

from cluster_parts.processes import Problem
from session import LOST_ERRORS
from Trials import tokens

#: Tokens are older than any wrong clock of a trial.
OLD_SECONDS = 600
#: A write waits 10 s before it is refused.
ANSWER_SECONDS = 20


@dataclass
class Answer:
    """An answer of a node. The status is 0 where there was none."""

    status: int
    value: dict
    seconds: float

    @property
    def is_ok(self):
        return self.status == 200

    @property
    def code(self):
        return self.value.get("code", "no answer")

    def __str__(self):
        said = "ok" if self.is_ok else self.code
        return f"{self.status} {said} after {self.seconds:.1f} s"


class Person:
    """A user, or with scopes an operator, who asks one node over HTTP."""

    def __init__(self, http, folder, name, *scopes):
        self.http, self.name = http, name
        self.token = tokens.sign(folder, name, *scopes, shift=-OLD_SECONDS)

    async def call(self, node, method, path, body=None, seconds=ANSWER_SECONDS, **headers):
        began = time.monotonic()
        try:
            async with self.http.request(
                    method, f"{node.url}{path}", data=None if body is None else json.dumps(body),
                    headers={"Authorization": f"Bearer {self.token}", **headers},
                    timeout=aiohttp.ClientTimeout(total=seconds)) as answer:
                text = await answer.text()
                return Answer(answer.status, json.loads(text) if text else {}, time.monotonic() - began)
        except LOST_ERRORS as error:
            return Answer(0, {"code": type(error).__name__}, time.monotonic() - began)

    async def command(self, node, seconds=ANSWER_SECONDS, **command):
        return await self.call(node, "POST", "/v1/commands", command, seconds)

    async def insist(self, node, seconds=40, **command):
        """The `ok` of a command that may be sent again."""
        end = time.monotonic() + seconds
        while True:
            answer = await self.command(node, **command)
            if answer.is_ok:
                return answer.value["ok"]
            if time.monotonic() > end:
                raise Problem(f"{self.name} at node {node.name}: {command} was answered with {answer}")
            await asyncio.sleep(0.3)

    async def follows(self, node):
        return set((await self.insist(node, type="following", limit=200))["topics"])

    async def blocks(self, node):
        return set((await self.insist(node, type="blocks"))["users"])

    async def session(self, node, device="one", since=None):
        """A session that is live; a Problem where none begins."""
        found = Session(self, node, device, since)
        await found.open()
        return found


class Session:
    """A person's session. It keeps what came, with the moments, and does not connect again."""

    def __init__(self, person, node, device, since):
        self.person, self.node, self.device, self.since = person, node, device, since
        self.events, self.waiting, self.count = [], {}, 0
        self.hello, self.bye, self.closed, self.ended_at = None, None, None, None
        self.live, self.reading = asyncio.Event(), None

    async def open(self, seconds=10):
        try:
            async with asyncio.timeout(seconds):
                self.socket = await self.person.http.ws_connect(
                    f"{self.node.url}/v1/ws", protocols=["watchwise.v1"], max_msg_size=0)
                hello = {"id": 0, "type": "hello", "token": self.person.token, "device": self.device}
                if self.since:
                    hello["since"] = self.since
                self.reading = asyncio.create_task(self.read())
                await self.socket.send_str(json.dumps(hello))
                live = asyncio.create_task(self.live.wait())
                await asyncio.wait([live, self.reading], return_when=asyncio.FIRST_COMPLETED)
                live.cancel()
        except LOST_ERRORS as error:
            await self.close()
            name = type(error).__name__
            raise Problem(f"no session of {self.person.name} at node {self.node.name}: {name}") from None
        if not self.live.is_set():
            await self.close()
            raise Problem(f"no session of {self.person.name} at node {self.node.name}: closed with {self.closed}, "
                          f"{self.hello}")

    async def read(self):
        try:
            async for message in self.socket:
                if message.type == aiohttp.WSMsgType.TEXT:
                    self.take(json.loads(message.data))
        except LOST_ERRORS:
            pass
        self.closed, self.ended_at = self.socket.close_code, time.monotonic()
        for future in self.waiting.values():
            if not future.done():
                future.set_result({"error": {"code": f"closed with {self.closed}"}})

    def take(self, value):
        if value.get("re") == 0:
            self.hello = value
        elif "re" in value:
            future = self.waiting.get(value["re"])
            if future and not future.done():
                future.set_result(value)
        else:
            self.events.append(value)
            if value["type"] == "live":
                self.live.set()
            elif value["type"] == "bye":
                self.bye = value.get("code")

    def kinds(self):
        return [event["type"] for event in self.events]

    async def begin(self, **command):
        """Sends a command. Returns a task whose result is the answer, as HTTP would give it."""
        self.count += 1
        future = self.waiting[self.count] = asyncio.get_running_loop().create_future()
        began = time.monotonic()
        try:
            await self.socket.send_str(json.dumps({"id": self.count, **command}))
        except LOST_ERRORS:
            future.set_result({"error": {"code": f"closed with {self.closed}"}})
        return asyncio.create_task(self.answer(future, began))

    async def answer(self, future, began):
        try:
            value = await asyncio.wait_for(future, ANSWER_SECONDS)
        except TimeoutError:
            value = {"error": {"code": "no answer"}}
        seconds = time.monotonic() - began
        return Answer(200, value, seconds) if "ok" in value else Answer(503, value["error"], seconds)

    async def ask(self, **command):
        return await (await self.begin(**command))

    async def close(self):
        if self.reading:
            self.reading.cancel()
            await asyncio.gather(self.reading, return_exceptions=True)
        if hasattr(self, "socket"):
            await self.socket.close()
