"""Three nodes behind HAProxy with the configuration of deploy/haproxy.cfg: each node is stopped and started again in turn, as an
operator exchanges machines. Clients write and read by the proxy alone, and must not notice it."""

import asyncio
import pathlib
import shutil
import ssl
import subprocess
import time

import aiohttp

from cluster_parts.processes import Problem
from faults import blocking
from owncase import OwnCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = 6
STOP_NOTICE_SECONDS = 3
#: The proxy's own address, on the network of the nodes.
DOOR = "https://127.0.0.1:8443"


class ProxyCase(OwnCase):
    """A rolling restart behind a proxy."""

    name, word = "three nodes behind a proxy are exchanged one after the other", "proxy"
    options = ("--trusted-proxy", "10.77.0.0/16", "--stop-notice", f"{STOP_NOTICE_SECONDS}s")

    @classmethod
    def all(cls):
        return [cls()]

    async def course(self):
        if shutil.which("haproxy") is None:
            return self.outer.cannot("nodes behind a proxy", "HAProxy is not installed")
        proxy = await blocking(self.start_proxy)
        self.statuses, self.stale, self.written, self.hosts = {}, 0, 0, set()
        try:
            await self.answers()
            self.is_over = False
            clients = [asyncio.create_task(self.write_and_read(number)) for number in range(CLIENTS)]
            for node in self.cluster.nodes:
                await self.exchange(node)
            await asyncio.sleep(2)
            self.is_over = True
            await asyncio.gather(*clients)
        finally:
            proxy.kill()
            proxy.wait()
        self.say(f"{self.written:,} writes, each on a connection of its own and read again on another one; answers: {self.statuses}")
        self.expect(set(self.statuses) == {200}, f"clients noticed it: {self.statuses}")
        self.expect(self.stale == 0, f"{self.stale} reads did not show the write before them")
        self.expect(self.written > 100, f"only {self.written} writes")
        await self.judge_equal()

    def start_proxy(self):
        """The page's file, with the trial's addresses, ports and certificate in it."""
        pem = self.folder / "proxy.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-keyout", self.folder / "proxy.key", "-out", self.folder / "proxy.crt"],
                       check=True, stdin=subprocess.DEVNULL, capture_output=True)
        pem.write_text((self.folder / "proxy.crt").read_text() + (self.folder / "proxy.key").read_text())
        text = (ROOT / "deploy/haproxy.cfg").read_text()
        changes = [("bind :80\n", "bind 127.0.0.1:8880\n"), ("bind :443", "bind 127.0.0.1:8443"),
                   ("/etc/haproxy/watchwise.pem", str(pem)), ("maxconn 100000", "maxconn 2000"), ("maxconn 50000", "maxconn 500")]
        changes += [(f"10.0.0.{number}:8080", f"{node.host}:{node.port}") for number, node in enumerate(self.cluster.nodes, 1)]
        for old, new in changes:
            if text.count(old) != 1:
                raise Problem(f"deploy/haproxy.cfg has {text.count(old)} times '{old}'")
            text = text.replace(old, new)
        path = self.folder / "haproxy.cfg"
        path.write_text(text)
        with open(self.folder / "haproxy.log", "wb") as log:
            return subprocess.Popen(["haproxy", "-db", "-f", path], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    async def answers(self):
        end = time.monotonic() + 10
        while (await self.ask("GET", "/healthz"))[0] != 200:
            if time.monotonic() > end:
                raise Problem(f"the proxy does not answer: {(self.folder / 'haproxy.log').read_text()[-500:]}")
            await asyncio.sleep(0.2)

    async def ask(self, method, path, body=None, **fields):
        """One request on a connection of its own. Returns the status, the answer, and where its write stands."""
        trusting = ssl.create_default_context(cafile=str(self.folder / "proxy.crt"))
        trusting.check_hostname = False
        fields |= {"Authorization": f"Bearer {self.operator.token}", "Connection": "close"}
        try:
            async with self.http.request(method, DOOR + path, json=body, headers=fields, ssl=trusting,
                                         timeout=aiohttp.ClientTimeout(total=20)) as answer:
                value = await answer.json() if answer.content_type.endswith("json") else {}
                return answer.status, value, answer.headers.get("Read-After")
        except (aiohttp.ClientError, TimeoutError) as error:
            return type(error).__name__, {}, None

    async def write_and_read(self, client):
        number = 0
        while not self.is_over:
            number += 1
            path = f"/v1/documents/exchanged/{client}"
            status, _, written = await self.ask("PUT", path, {"n": number}, **{"Idempotency-Key": f"{client}-{number}"})
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status != 200:
                continue
            self.written += 1
            status, value, _ = await self.ask("GET", path, **{"Read-After": written})
            self.statuses[status] = self.statuses.get(status, 0) + 1
            self.stale += status == 200 and value["data"]["n"] != number

    async def exchange(self, node):
        began = time.monotonic()
        await blocking(node.stop)
        ended = time.monotonic() - began
        self.expect(ended >= STOP_NOTICE_SECONDS, f"node {node.name} ended after {ended:.1f} s, without its notice")
        node.start()
        await blocking(node.wait, 60)
        self.say(f"node {node.name} ended {ended:.1f} s after SIGTERM, and was ready again {time.monotonic() - began:.1f} s after it")
        # Until the proxy has seen it, too.
        await asyncio.sleep(3)
