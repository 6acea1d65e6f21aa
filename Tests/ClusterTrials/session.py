"""One device of a user: a session with one cursor that moves from node to node, and checks all that it gets."""

import asyncio
import json

import aiohttp

DURABLE = {"message", "read", "delivered", "followed", "unfollowed", "notification", "notification.seen",
           "notification.removed", "preferences", "document"}
#: A node that says nothing for so long is left: a frozen one keeps its connections.
SILENCE_SECONDS = 3.0
LOST_ERRORS = (aiohttp.ClientError, OSError, asyncio.TimeoutError, ValueError)


class Lost(Exception):
    """The connection ended before the answer: the command may have been done."""


class Refused(Exception):
    def __init__(self, error):
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.error = error


class Device:
    """A device. `events` are its durable events in the order in which they came, over all nodes and connections."""

    def __init__(self, world, user, name, number):
        self.world, self.user, self.name, self.number = world, user, name, number
        self.epoch, self.seq, self.events, self.unread = None, 0, [], None
        self.socket, self.waiting, self.next_id = None, {}, 0
        self.is_live, self.live = False, asyncio.Event()
        self.lost_at, self.node, self.announced = None, None, None
        self.wishes_to_move = self.has_moved = self.was_reset = False
        self.known_until, self.answered_less = 0, None

    @property
    def title(self):
        return f"{self.user} on {self.name}"

    def problem(self, text):
        self.world.problem(f"{self.title} at node {self.node.name if self.node else '–'}: {text}")

    # MARK: The connection

    async def run(self):
        """Holds a session until the world ends; each connection goes to another node than the one before."""
        place = self.number
        while not self.world.is_over:
            self.node = self.world.nodes[place % len(self.world.nodes)]
            place += 1
            pause = 0.05
            try:
                await self.connect()
            except LOST_ERRORS:
                pause = self.world.chance.uniform(0.05, 0.3)
            self.disconnected()
            if self.announced is not None:
                pause, self.announced = min(self.announced, 2.0) * self.world.chance.random(), None
            await asyncio.sleep(pause)

    async def connect(self):
        timeout = aiohttp.ClientWSTimeout(ws_close=0.5)
        async with asyncio.timeout(3):
            socket = await self.world.http.ws_connect(
                f"{self.node.url}/v1/ws", protocols=["watchwise.v1"], timeout=timeout, max_msg_size=0)
        async with socket:
            self.socket = socket
            hello = {"id": 0, "type": "hello", "token": self.world.tokens[self.user], "device": self.name}
            if self.epoch is not None:
                hello["since"] = {"epoch": self.epoch, "seq": self.seq}
            await socket.send_str(json.dumps(hello))
            silence = asyncio.create_task(self.watch_silence(socket))
            try:
                await self.receive(socket)
            finally:
                silence.cancel()

    async def receive(self, socket):
        async for message in socket:
            if message.type != aiohttp.WSMsgType.TEXT:
                raise ValueError(f"a message of type {message.type}")
            self.heard_at = self.world.now()
            value = json.loads(message.data)
            if "re" in value:
                self.take_reply(value)
            else:
                self.take_event(value)

    async def watch_silence(self, socket):
        """Pings, and ends the connection when nothing comes; or when the device wishes to move."""
        # A `hello` beyond the head of a node waits up to five seconds.
        self.heard_at = self.world.now() + 4
        asked_at = self.world.now()
        while True:
            await asyncio.sleep(0.05)
            now = self.world.now()
            if self.is_live and now - asked_at > 1:
                asked_at = now
                await socket.send_str('{"id":"p","type":"ping"}')
            if now - self.heard_at > SILENCE_SECONDS or self.wishes_to_move:
                # No close frame: a phone that leaves a network sends none either.
                self.has_moved, self.wishes_to_move = self.wishes_to_move, False
                if socket._response.connection and socket._response.connection.transport:
                    socket._response.connection.transport.abort()
                return

    def move(self):
        self.wishes_to_move = True

    def disconnected(self):
        # A device that moves by itself has lost nothing.
        if self.is_live and not self.has_moved:
            self.lost_at = self.world.now()
        self.has_moved = False
        self.socket, self.is_live = None, False
        self.live.clear()
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(Lost())
        self.waiting.clear()

    # MARK: What comes

    def take_reply(self, value):
        if value["re"] == "p":
            return None
        if value["re"] == 0:
            return self.take_hello(value)
        future = self.waiting.pop(value["re"], None)
        if future is None:
            return self.problem(f"a reply to nothing: {value}")
        if future.done():
            return None
        if "error" in value:
            return future.set_exception(Refused(value["error"]))
        seq = value["ok"].get("seq")
        # A reply stands after the events of its write.
        if self.is_live and isinstance(seq, int) and seq > self.seq and future.makes_event:
            self.problem(f"the ok of {seq} came before its event; the newest is {self.seq}")
        future.set_result(value["ok"])

    def take_hello(self, value):
        if "error" in value:
            self.world.refusals.append((self.world.now(), value["error"]["code"]))
            raise ValueError(f"hello: {value['error']}")
        ok = value["ok"]
        self.unread = (ok["unread"]["chats"], ok["unread"]["notifications"])
        if self.epoch is None:
            self.epoch, self.seq = ok["epoch"], ok["seq"]
        elif ok["epoch"] != self.epoch:
            self.problem(f"another epoch: {ok['epoch']} after {self.epoch}")
        elif ok["seq"] < self.seq:
            # A reset follows, or else it is a problem of its own.
            self.answered_less = (ok["seq"], self.seq)

    def take_event(self, value):
        kind, seq = value["type"], value.get("seq")
        if kind in DURABLE:
            if seq <= self.known_until:
                # After a reset, which was counted: the device has these.
                self.seq = max(self.seq, seq)
                return None
            if seq <= self.seq:
                return self.problem(f"{kind} {seq} came after {self.seq}: repeated or out of order")
            self.seq = seq
            self.events.append(value)
        elif kind == "live":
            if self.answered_less is not None and not self.was_reset:
                self.problem("hello answered {}, and the device was at {} already".format(*self.answered_less))
            self.answered_less = None
            self.seq = seq if self.was_reset else max(self.seq, seq)
            self.is_live, self.was_reset = True, False
            self.live.set()
            if self.lost_at is not None:
                self.world.returns.append((self.lost_at, self.world.now()))
                self.lost_at = None
        elif kind == "reset":
            self.problem(f"reset: {value.get('reason')}; the device was at {self.seq}")
            self.known_until, self.was_reset = max(self.known_until, self.seq), True
        elif kind == "unread":
            self.unread = (value["chats"], value["notifications"])
        elif kind == "bye":
            self.world.byes.append((self.world.now(), value.get("code")))
            self.announced = value.get("reconnectInMs", 0) / 1000

    # MARK: What it asks

    async def ask_once(self, command, makes_event=True):
        """Sends a command on the connection of now. Raises Lost or Refused."""
        await self.live.wait()
        self.next_id += 1
        identifier = self.next_id
        future = self.waiting[identifier] = asyncio.get_running_loop().create_future()
        future.makes_event = makes_event
        try:
            await self.socket.send_str(json.dumps({"id": identifier, **command}))
        except (*LOST_ERRORS, AttributeError):
            self.waiting.pop(identifier, None)
            # The session notices it in a later turn.
            await asyncio.sleep(0.02)
            raise Lost() from None
        return await future

    async def ask(self, command, makes_event=True):
        """Sends a command until it is answered. Raises Refused when a repetition would not help."""
        pause = 0.05
        while True:
            try:
                return await self.ask_once(command, makes_event)
            except Lost:
                continue
            except Refused as refusal:
                self.world.refusals.append((self.world.now(), refusal.error["code"]))
                if refusal.error["class"] not in ("retry", "limit"):
                    raise
                await asyncio.sleep(refusal.error.get("retryAfterMs", pause * 1000) / 1000)
                pause = min(1.0, pause * 2)
