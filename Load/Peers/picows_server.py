"""The peers' plain dialect on picows: /echo sends messages back, messages on /pub go to each /sub."""

import sys

import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server

subscribers = set()


class Echo(WSListener):
    def on_ws_frame(self, transport: WSTransport, frame: WSFrame):
        if frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()
        elif frame.msg_type in (WSMsgType.TEXT, WSMsgType.BINARY):
            transport.send(frame.msg_type, frame.get_payload_as_bytes())


class Subscriber(WSListener):
    def on_ws_connected(self, transport: WSTransport):
        subscribers.add(transport)

    def on_ws_disconnected(self, transport: WSTransport):
        subscribers.discard(transport)


class Publisher(WSListener):
    def on_ws_frame(self, transport: WSTransport, frame: WSFrame):
        if frame.msg_type in (WSMsgType.TEXT, WSMsgType.BINARY):
            payload = frame.get_payload_as_bytes()
            for subscriber in subscribers:
                subscriber.send(frame.msg_type, payload)


def listener(request: WSUpgradeRequest):
    return {b"/sub": Subscriber, b"/pub": Publisher}.get(request.path, Echo)()


async def main():
    server = await ws_create_server(listener, "127.0.0.1", int(sys.argv[1]))
    print(f"listening on 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


uvloop.run(main())
