"""The common part of the fakes: a server that speaks HTTP/2 and HTTP/1.1 over TLS, hands each request to a function,
and ends requests and connections in the ways in which real services do. A fake is a function from a request to an
answer."""

import argparse
import asyncio
import enum
import json
import logging
import signal
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import h11
from hyperframe.frame import GoAwayFrame

from streams import Streams


class Ending(enum.Enum):
    """Ways to end a request other than by its answer. The value is for command lines and the ends of tokens."""

    GOAWAY = "goaway"  # Its answer, then GOAWAY after it; older requests are answered, younger ones are lost.
    SHUTDOWN = "shutdown"  # GOAWAY that names it as the last, and the connection closes: nothing more is answered.
    CUT = "cut"  # The connection closes without a word.
    REFUSE = "refuse"  # RST_STREAM with REFUSED_STREAM: nothing was done.
    RESET = "reset"  # RST_STREAM with INTERNAL_ERROR: nobody knows what was done.
    SILENT = "silent"  # Nothing.
    ENDLESS_BODY = "endless-body"
    ENDLESS_HEAD = "endless-head"
    HUGE_HEAD = "huge-head"  # 48 MB, of which HTTP/2 sends 12 KB because the fields repeat.


@dataclass
class Request:
    """A whole request. Names of headers are in small letters; `pseudo` ones of HTTP/2 are left out."""

    version: str  # "2" or "1.1"
    method: str
    path: str
    authority: str
    headers: list[tuple[str, str]]
    body: bytes
    at: float = field(default_factory=time.time)

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)


@dataclass
class Answer:
    """An answer, or the way in which there is none."""

    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    ending: Ending | None = None
    # Whether the connection may have as many streams as the service allows from now on.
    opens_streams: bool = False
    # More for the log than the request and the status.
    notes: dict = field(default_factory=dict)

    @staticmethod
    def json(status: int, value: object, headers: list[tuple[str, str]] | None = None, **more) -> "Answer":
        body = json.dumps(value).encode()
        return Answer(status, [("content-type", "application/json"), *(headers or [])], body, **more)


class Log:
    """What was received, as lines of JSON in a file, and in memory for a route of the fake's own."""

    def __init__(self, path: str | None):
        self.file = open(path, "a", encoding="utf-8") if path else None
        self.lines: list[dict] = []

    def write(self, event: str, **fields) -> None:
        line = {"event": event, "at": time.time(), **fields}
        self.lines.append(line)
        if self.file:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()


class Service:
    """Listens, and answers requests with a function.

    streams: the streams that a connection may have at once. first_streams: those before an answer `opens_streams`.
    protocols: by preference; a client that speaks none of them is disconnected.
    """

    def __init__(self, answer: Callable[[Request], Answer], options: argparse.Namespace, *,
                 protocols: tuple[str, ...] = ("h2", "http/1.1"), first_streams: int | None = None):
        self.answer = answer
        self.protocols = protocols
        self.streams = options.streams
        self.first_streams = first_streams or options.streams
        self.delay = options.delay / 1000
        self.connections = 0
        self.log = Log(options.log)
        self.options = options

    def run(self, ready: Callable[[int], None] = lambda port: None) -> None:
        asyncio.run(self._run(ready))

    async def _run(self, ready: Callable[[int], None]) -> None:
        # A client that is killed is no problem of the fake; asyncio would write a line for each answer to it.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        loop = asyncio.get_running_loop()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.options.certificate, self.options.key)
        context.set_alpn_protocols(list(self.protocols))
        server = await loop.create_server(lambda: Connection(self), "127.0.0.1", self.options.port, ssl=context)
        ended = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
        port = server.sockets[0].getsockname()[1]
        ready(port)
        print(port, flush=True)
        await ended.wait()
        server.close()


class Connection(asyncio.Protocol):
    """One TLS connection: HTTP/2 or HTTP/1.1, as ALPN says."""

    def __init__(self, service: Service):
        self.service = service

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        self.service.connections += 1
        self.number = self.service.connections
        protocol = transport.get_extra_info("ssl_object").selected_alpn_protocol()
        # A client without ALPN speaks HTTP/1.1 (RFC 9113, section 3.2).
        self.protocol = protocol or "http/1.1"
        self.service.log.write("connection", connection=self.number, protocol=protocol)
        if self.protocol not in self.service.protocols:
            self.service.log.write("refused", connection=self.number, reason=f"it speaks {self.protocol}")
            transport.abort()
            return
        kind = TwoConnection if self.protocol == "h2" else OneConnection
        self.speaker = kind(self)

    def data_received(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.speaker.receive(data)

    def close(self) -> None:
        """Ends TLS and then TCP, as servers do, without waiting for the other side's end of TLS as asyncio does."""
        self.transport.close()
        asyncio.get_running_loop().call_later(0.02, self.transport.abort)

    def connection_lost(self, error: Exception | None) -> None:
        self.service.log.write("closed", connection=self.number, reason=str(error or ""))

    def answer(self, request: Request, send: Callable[[Answer], None], **place) -> None:
        """Asks the fake for the answer, logs both, and sends it after the service's delay."""
        answer = self.service.answer(request)
        self.service.log.write(
            "request", connection=self.number, version=request.version, method=request.method, path=request.path,
            headers=request.headers, body=request.body.decode("latin-1"), status=answer.status,
            ending=answer.ending and answer.ending.value, **place, **answer.notes)
        if self.service.delay:
            asyncio.get_running_loop().call_later(self.service.delay, send, answer)
        else:
            send(answer)


class OneConnection:
    """HTTP/1.1."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self.machine = h11.Connection(h11.SERVER)
        self.request: h11.Request | None = None
        self.body = b""

    def receive(self, data: bytes) -> None:
        self.machine.receive_data(data)
        self.step()

    def step(self) -> None:
        try:
            while True:
                event = self.machine.next_event()
                if isinstance(event, h11.Request):
                    self.request, self.body = event, b""
                elif isinstance(event, h11.Data):
                    self.body += bytes(event.data)
                elif isinstance(event, h11.EndOfMessage):
                    self.connection.answer(self.whole(), self.send)
                elif event in (h11.NEED_DATA, h11.PAUSED) or isinstance(event, h11.ConnectionClosed):
                    return
        except h11.RemoteProtocolError as error:
            self.connection.service.log.write("broken", connection=self.connection.number, reason=str(error))
            self.connection.close()

    def whole(self) -> Request:
        headers = [(name.decode().lower(), value.decode("latin-1")) for name, value in self.request.headers]
        host = next((value for name, value in headers if name == "host"), "")
        return Request("1.1", self.request.method.decode(), self.request.target.decode(), host, headers, self.body)

    def send(self, answer: Answer) -> None:
        transport = self.connection.transport
        if transport.is_closing():
            return
        match answer.ending:
            case Ending.SILENT:
                return
            case Ending.CUT | Ending.REFUSE | Ending.RESET | Ending.SHUTDOWN:
                transport.abort()
            case Ending.ENDLESS_HEAD | Ending.HUGE_HEAD:
                transport.write(b"HTTP/1.1 200 OK\r\n" + b"X-Endless: " + b"x" * 4000 + b"\r\n")
                self.go_on(b"X-Endless: " + b"x" * 4000 + b"\r\n")
            case Ending.ENDLESS_BODY:
                transport.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
                self.go_on(b"x" * 4000)
            case _:
                last = [("connection", "close")] if answer.ending == Ending.GOAWAY else []
                headers = [*answer.headers, ("content-length", str(len(answer.body))), *last]
                transport.write(self.machine.send(h11.Response(status_code=answer.status, headers=headers)) or b"")
                transport.write(self.machine.send(h11.Data(data=answer.body)) or b"")
                transport.write(self.machine.send(h11.EndOfMessage()) or b"")
                if self.machine.our_state is h11.MUST_CLOSE:
                    self.connection.close()
                elif self.machine.our_state is h11.DONE:
                    self.machine.start_next_cycle()
                    self.step()

    def go_on(self, bytes_: bytes) -> None:
        """Writes the same again and again while the client takes it."""
        transport = self.connection.transport
        if not transport.is_closing():
            if transport.get_write_buffer_size() < 1 << 16:
                transport.write(bytes_)
            asyncio.get_running_loop().call_later(0.001, self.go_on, bytes_)


class TwoConnection:
    """HTTP/2, on hyper-h2."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self.streams = Streams(connection.service.first_streams)
        self.requests: dict[int, tuple[list[tuple[str, str]], bytearray]] = {}
        # The last stream that is answered, after GOAWAY.
        self.last: int | None = None
        self.flush()

    def flush(self) -> None:
        if not self.connection.transport.is_closing():
            self.connection.transport.write(self.streams.data_to_send())

    def receive(self, data: bytes) -> None:
        events, problem = self.streams.receive(data)
        for kind, stream, *rest in events:
            if kind == "headers":
                self.begin(stream, rest[0])
            elif kind == "data" and stream in self.requests:
                self.requests[stream][1].extend(rest[0])
            elif kind == "end" and stream in self.requests:
                self.end(stream)
            elif kind == "reset":
                self.forget(stream, "reset by the client")
            elif kind == "window":
                self.streams.go_on()
        if problem:
            self.connection.service.log.write("broken", connection=self.connection.number, reason=problem)
            self.flush()
            self.connection.close()
        self.flush()

    def begin(self, stream: int, headers: list[tuple[str, str]]) -> None:
        if self.last is not None and stream > self.last:
            return
        if len(self.requests) >= self.streams.limit:
            # More streams than SETTINGS allow, perhaps before the client has read them.
            self.connection.service.log.write("refused", connection=self.connection.number, stream=stream,
                                              reason=f"more than {self.streams.limit} streams")
            self.streams.refuse(stream)
        else:
            self.requests[stream] = (headers, bytearray())

    def end(self, stream: int) -> None:
        headers, body = self.requests[stream]
        pseudo = {name: value for name, value in headers if name.startswith(":")}
        others = [(name, value) for name, value in headers if not name.startswith(":")]
        authority = pseudo.get(":authority") or dict(others).get("host", "")
        request = Request("2", pseudo[":method"], pseudo[":path"], authority, others, bytes(body))
        self.connection.answer(request, lambda answer: self.send(stream, answer), stream=stream,
                               open=len(self.requests))

    def send(self, stream: int, answer: Answer) -> None:
        if stream not in self.requests or self.connection.transport.is_closing():
            return
        if answer.opens_streams and self.streams.limit != self.connection.service.streams:
            self.streams.allow(self.connection.service.streams)
        match answer.ending:
            case Ending.SILENT:
                return
            case Ending.CUT:
                self.connection.transport.abort()
                return
            case Ending.SHUTDOWN:
                self.goaway(stream)
                self.flush()
                self.connection.close()
                return
            case Ending.REFUSE:
                self.streams.refuse(stream)
            case Ending.RESET:
                self.streams.reset(stream)
            case Ending.ENDLESS_BODY:
                self.streams.send(stream, answer.status, answer.headers, None)
                self.flush()
                return
            case Ending.HUGE_HEAD:
                self.streams.send(stream, 200, [("x-huge", "x" * 4000)] * 12_000, b"")
            case Ending.ENDLESS_HEAD:
                self.flush()
                for frame in self.streams.endless_head(stream):
                    self.connection.transport.write(frame)
                return
            case _:
                if answer.ending == Ending.GOAWAY:
                    self.goaway(stream)
                self.streams.send(stream, answer.status, answer.headers, answer.body)
        del self.requests[stream]
        self.flush()
        self.close_when_done()

    def goaway(self, stream: int) -> None:
        """RFC 9113, section 6.8, with the reason that APNs adds. Younger streams are not answered."""
        self.flush()
        self.last = stream
        frame = GoAwayFrame(0, last_stream_id=stream, additional_data=b'{"reason":"Shutdown"}')
        self.connection.transport.write(frame.serialize())
        lost = [younger for younger in self.requests if younger > stream]
        self.connection.service.log.write("goaway", connection=self.connection.number, last=stream, lost=len(lost))
        for younger in lost:
            del self.requests[younger]

    def forget(self, stream: int, reason: str) -> None:
        self.streams.forget(stream)
        if self.requests.pop(stream, None):
            self.connection.service.log.write("ended", connection=self.connection.number, stream=stream, reason=reason)
        self.close_when_done()

    def close_when_done(self) -> None:
        if self.last is not None and not any(stream <= self.last for stream in self.requests):
            self.connection.close()


def parser(description: str, streams: int = 100) -> argparse.ArgumentParser:
    """The options that all fakes have."""
    options = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    options.add_argument("--certificate", required=True, metavar="PEM", help="the certificate for localhost")
    options.add_argument("--key", required=True, metavar="PEM", help="its key")
    options.add_argument("--port", type=int, default=0, help="of 127.0.0.1; a free one if none is given. The first "
                         "line of output is the port")
    options.add_argument("--log", metavar="FILE", help="gets a line of JSON for each connection, request and GOAWAY")
    options.add_argument("--delay", type=int, default=0, metavar="MILLISECONDS", help="before each answer")
    options.add_argument("--streams", type=int, default=streams, metavar="N",
                         help=f"streams that a connection may have at once (default: {streams})")
    return options
