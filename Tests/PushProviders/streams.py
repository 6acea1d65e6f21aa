"""The streams of one HTTP/2 connection on hyper-h2: what arrives as plain tuples, and answers."""

from collections.abc import Iterator

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import hpack
from hyperframe.frame import ContinuationFrame, HeadersFrame

CHUNK = 16 << 10


class Machine(h2.connection.H2Connection):
    """hyper-h2 ends the connection when a client opens too many streams. A real service refuses the stream, because
    the client may not have read the settings yet, so the count is the fake's own."""

    @property
    def open_inbound_streams(self) -> int:
        _ = super().open_inbound_streams  # forgets the closed streams
        return 0


class Streams:
    def __init__(self, limit: int):
        self.limit = limit
        # What is still to be sent of answers; None has no end.
        self.bodies: dict[int, bytes | None] = {}
        self.machine = Machine(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.machine.local_settings = h2.settings.Settings(client=False, initial_values={
            h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: limit,
            h2.settings.SettingCodes.MAX_HEADER_LIST_SIZE: 1 << 16,
        })
        self.machine.initiate_connection()

    def data_to_send(self) -> bytes:
        return self.machine.data_to_send()

    def allow(self, limit: int) -> None:
        """Tells the client that it may have more streams."""
        self.limit = limit
        self.machine.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: limit})

    def receive(self, data: bytes) -> tuple[list[tuple], str | None]:
        """The events of some bytes: headers, data, end, reset, window, each with its stream; and what is wrong."""
        try:
            events = self.machine.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            return [], f"{type(error).__name__}: {error}"
        found: list[tuple] = []
        for event in events:
            match event:
                case h2.events.RequestReceived():
                    found.append(("headers", event.stream_id, event.headers))
                case h2.events.DataReceived():
                    if event.flow_controlled_length:
                        self.machine.increment_flow_control_window(event.flow_controlled_length)
                    found.append(("data", event.stream_id, event.data))
                case h2.events.StreamEnded():
                    found.append(("end", event.stream_id))
                case h2.events.StreamReset():
                    found.append(("reset", event.stream_id))
                case h2.events.WindowUpdated() | h2.events.RemoteSettingsChanged():
                    found.append(("window", 0))
        return found, None

    def refuse(self, stream: int) -> None:
        self.machine.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)

    def reset(self, stream: int) -> None:
        self.machine.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)

    def send(self, stream: int, status: int, headers: list[tuple[str, str]], body: bytes | None) -> None:
        """An answer; without an end if the body is None."""
        self.machine.send_headers(stream, [(":status", str(status)), *headers], end_stream=body == b"")
        if body != b"":
            self.bodies[stream] = body
            self.go_on()

    def forget(self, stream: int) -> None:
        self.bodies.pop(stream, None)

    def go_on(self) -> None:
        """Sends as much of the bodies as the client takes."""
        for stream, whole in list(self.bodies.items()):
            body = whole
            while (size := min(CHUNK, self.machine.local_flow_control_window(stream))) > 0:
                part = b"x" * size if body is None else body[:size]
                body = body and body[size:]
                self.machine.send_data(stream, part, end_stream=body == b"")
                if body == b"":
                    del self.bodies[stream]
                    break
                self.bodies[stream] = body

    def endless_head(self, stream: int) -> Iterator[bytes]:
        """Four megabytes of a head that does not end (RFC 9113, section 6.10)."""
        encoder = hpack.Encoder()
        frame = HeadersFrame(stream)
        frame.data = encoder.encode([(":status", "200")])
        yield frame.serialize()
        field = encoder.encode([hpack.NeverIndexedHeaderTuple("x-endless", "x" * 4000)], huffman=False)
        for _ in range(1000):
            frame = ContinuationFrame(stream)
            frame.data = field
            yield frame.serialize()
