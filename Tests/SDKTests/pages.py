"""Files and pages over HTTP on loopback, for tests in browsers."""

import http.server
import pathlib
import threading

TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html"}


class Pages:
    """Serves a folder at /sdk/, another at /, and what was added.

    sdk: the files that `watchwise sdk` has written.
    """

    def __init__(self, sdk, root=None):
        self.sdk, self.root = sdk, root
        self.routes = {}  # path → function of the query that returns a text and its type
        self.missing = set()  # paths that are not found
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path, _, query = self.path.partition("?")
                if path == "/favicon.ico":
                    self.send_response(204)
                    return self.end_headers()
                body, kind = outer.find(path, query)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body or b"")))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                """The test prints its own lines."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"

    def add(self, path, text, kind):
        self.routes[path] = lambda query: (text, kind)

    def find(self, path, query):
        if path in self.missing:
            return None, "text/plain"
        if path in self.routes:
            text, kind = self.routes[path](query)
            return text.encode(), kind
        file = self.sdk / path[5:] if path.startswith("/sdk/") else self.root and pathlib.Path(self.root, path[1:])
        if file and ".." not in path and file.is_file():
            return file.read_bytes(), TYPES.get(file.suffix, "text/plain")
        return None, "text/plain"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
