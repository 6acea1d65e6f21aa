"""A network that refuses WebSockets: a proxy of TCP that ends each connection whose first request asks for one."""

import contextlib
import socket
import threading


class BlockingProxy:
    """Listens on a port of its own. `refused`: how many WebSockets were asked for."""

    def __init__(self, port):
        self.target, self.refused = port, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self.join, args=(client,), daemon=True).start()

    def join(self, client):
        with client, contextlib.suppress(OSError):
            head = client.recv(65536)
            while head and b"\r\n\r\n" not in head:
                head += client.recv(65536)
            if b"upgrade: websocket" in head.lower():
                self.refused += 1
                return
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                server.sendall(head)
                back = threading.Thread(target=self.copy, args=(server, client), daemon=True)
                back.start()
                self.copy(client, server)
                back.join()

    @staticmethod
    def copy(one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.close()
