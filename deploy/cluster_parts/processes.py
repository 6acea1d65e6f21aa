"""Processes that end with this program, and the three kinds of a cluster: journal servers, nodes, the load balancer."""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tests"))

from Trials import tokens
from Trials.process import Problem, Process
from Trials.server import ask

ROOT = pathlib.Path(__file__).resolve().parents[2]
NATS = ROOT / ".build/trials/python/bin/nats-server"


class Member(Process):
    """A process that can be started again in the same folder, on the same address. It gets SIGKILL when the thread that
    started it ends, so that nothing is left running, however this program ends."""

    def __init__(self, name, host, wrap, log):
        super().__init__(name, log)
        self.host, self.wrap = host, [*wrap, "setpriv", "--pdeathsig", "KILL"]
        self.making = {"start_new_session": True}

    def start(self):
        self.launch()

    @property
    def state(self):
        return "frozen" if self.is_frozen else "runs" if self.is_running else "down"


def fetched_server():
    """The path of the NATS server, which is brought when it is not there."""
    answer = subprocess.run([ROOT / "Tests/JournalTrials/fetch-nats"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if answer.returncode != 0:
        raise Problem(f"there is no NATS server: {answer.stderr.strip()}")
    return answer.stdout.strip()


class JournalServer(Member):
    """One NATS server with a folder of its own."""

    def __init__(self, number, host, wrap, folder, ports, routes, program=NATS):
        # Beside the folder, which may be a file system of its own.
        super().__init__(f"journal {number}", host, wrap, f"{folder}.log")
        self.number, self.folder, self.program = number, pathlib.Path(folder), program
        self.port, self.monitor_port, route_port = ports
        self.folder, self.configuration = self.folder / "data", pathlib.Path(f"{folder}.conf")
        self.configuration.parent.mkdir(parents=True, exist_ok=True)
        # The server's own name for others in the cluster must be the address that they reach it by.
        self.configuration.write_text(f"""server_name: n{number}
host: {host}
port: {self.port}
http: "{host}:{self.monitor_port}"
max_payload: 8MB
jetstream {{ store_dir: "{self.folder}", sync_interval: always, max_file_store: 64GB, max_memory_store: 64MB }}
cluster {{ name: ww, listen: "{host}:{route_port}", no_advertise: true, routes: [{", ".join(routes)}] }}
""")

    def command_line(self):
        return [self.program, "--config", self.configuration]

    @property
    def url(self):
        return f"nats://{self.host}:{self.port}"

    @property
    def monitor(self):
        return f"http://{self.host}:{self.monitor_port}"

    def health(self):
        """"ok", or the server's own sentence about the part of a stream that does not work."""
        try:
            status, body = ask(self.host, self.monitor_port, "/healthz", timeout=0.7)
            return "ok" if status == 200 else json.loads(body).get("error", "it does not say")
        except (OSError, ValueError) as error:
            return str(error)

    def facts(self):
        """The stream as this server sees it: who leads it, its first and last entry, its bytes; {} where it does not
        answer, and {"leader": None} where it has no stream."""
        try:
            status, body = ask(self.host, self.monitor_port, "/jsz?streams=true&raft=true", timeout=0.7)
            if status != 200:
                return {}
            value = json.loads(body)
        except (OSError, ValueError):
            return {}
        for account in value.get("account_details") or []:
            for stream in account.get("stream_detail") or []:
                if stream["name"].startswith("WW-"):
                    state = stream.get("state") or {}
                    return {"leader": (stream.get("cluster") or {}).get("leader"), "first": state.get("first_seq", 0),
                            "last": state.get("last_seq", 0), "bytes": state.get("bytes", 0)}
        return {"leader": None, "meta": (value.get("meta_cluster") or {}).get("leader")}


class Node(Member):
    """One WatchWise server. Without `journal` it is alone."""

    def __init__(self, name, host, wrap, folder, binary, port, journal=(), monitors=(), more=()):
        super().__init__(name, host, wrap, f"{folder}.log")
        self.folder, self.binary, self.port = pathlib.Path(folder, "data"), binary, port
        self.journal, self.monitors, self.more = list(journal), list(monitors), list(more)
        self.token = None

    def command_line(self):
        words = [self.binary, "serve", "--listen", f"{self.host}:{self.port}", "--data", self.folder, "--triggers", "film-network",
                 *self.more]
        if self.journal:
            words += ["--journal", ",".join(self.journal), "--node", self.name, "--node-address", self.url]
            words += ["--journal-monitor", ",".join(self.monitors)] if self.monitors else []
        return words

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    def found(self):
        """Makes the stream, and this node's folder as the first of the cluster."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        words = [*self.wrap, self.binary, "cluster", "init", "--data", self.folder, "--journal", ",".join(self.journal),
                 "--journal-monitor", ",".join(self.monitors)]
        end = time.monotonic() + 20
        while True:
            answer = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if answer.returncode == 0:
                return
            # Servers that have just found a leader may not have room for a stream yet. 2 is misuse.
            if answer.returncode == 2 or time.monotonic() > end:
                said = "; ".join((answer.stderr or answer.stdout).strip().splitlines()[:4])
                raise Problem(f"'watchwise cluster init' failed ({answer.returncode}): {said}")
            time.sleep(0.5)

    def take_secrets(self, other):
        """Copies what all nodes of a cluster share."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        for name in ("secret", "vapid-key", "webhook-secret"):
            if (other.folder / name).exists():
                shutil.copy2(other.folder / name, self.folder / name)

    def make_token(self, user, *scopes):
        return tokens.sign(self.folder, user, *scopes)

    def verify(self, nodes, seconds=60):
        """Does what 'watchwise cluster verify' does, which speaks no plain HTTP to another host: this node leads, and lets
        all nodes digest their tables at the same entry. Returns a problem, or None, and the rows of each."""
        status, body = ask(self.host, self.port, "/v1/cluster/verify", timeout=5, method="POST", token=self.token)
        if status != 202:
            return f"status {status}: {body.decode(errors='replace')}", 0
        number, end = json.loads(body)["number"], time.monotonic() + seconds
        while time.monotonic() < end:
            _, body = ask(self.host, self.port, "/v1/cluster", timeout=5, token=self.token)
            found = {node["node"]: node["verified"] for node in json.loads(body)["nodes"]
                     if (node.get("verified") or {}).get("number") == number}
            if len(found) == nodes:
                differ = [f"{name} in {', '.join(one['differs'] or ['another entry'])}" for name, one in found.items()
                          if one["differs"] != []]
                return "; ".join(differ) or None, found[self.name]["rows"]
            time.sleep(0.1)
        return f"only {', '.join(found) or 'nobody'} answered in {seconds} s", 0

    def wait(self, seconds=60, path="/readyz"):
        """Waits until it is ready. A Problem says why it was not."""
        end, why = time.monotonic() + seconds, "nothing"
        while time.monotonic() < end:
            if not self.is_running:
                raise Problem(f"node {self.name} ended by itself ({self.process.returncode}): {self.last_words()}")
            try:
                status, body = ask(self.host, self.port, path)
                if status == 200:
                    return
                why = f"{status} {body.decode(errors='replace').strip()[:300]}"
            except OSError as problem:
                why = str(problem)
            time.sleep(0.05)
        raise Problem(f"node {self.name} was not ready within {seconds:.0f} s; {path} says {why}")

    def figures(self):
        """Its metrics, those without labels; {} where it does not answer."""
        try:
            status, body = ask(self.host, self.port, "/metrics", timeout=0.7, token=self.token)
        except OSError:
            return {}
        found = {}
        for line in body.decode(errors="replace").splitlines() if status == 200 else []:
            name, _, value = line.partition(" ")
            if line.startswith("watchwise_") and "{" not in name:
                try:
                    found[name.removeprefix("watchwise_")] = float(value)
                except ValueError:
                    continue
        return found


class Relay(Member):
    """HAProxy between a node and the journal, which can be frozen: then the node is cut off, as by a cable that is pulled.
    Nobody needs rights for that, as packet filters do."""

    def __init__(self, name, folder, pairs):
        super().__init__(name, "127.0.0.1", [], f"{folder}.log")
        self.configuration = pathlib.Path(f"{folder}.cfg")
        self.configuration.parent.mkdir(parents=True, exist_ok=True)
        parts = ["defaults", "    mode tcp", "    timeout connect 2s", "    timeout client 1h", "    timeout server 1h"]
        for port, host, target in pairs:
            parts += [f"listen r{port}", f"    bind 127.0.0.1:{port}", f"    server s {host}:{target}"]
        self.configuration.write_text("\n".join(parts) + "\n")

    def command_line(self):
        return ["haproxy", "-db", "-f", self.configuration]


class Balancer(Member):
    """HAProxy before the nodes: each new connection goes to the ready node with the fewest, and the connections of a node
    that is no longer ready are ended."""

    def __init__(self, listen, folder, nodes):
        host, port = listen.rsplit(":", 1)
        super().__init__("balancer", host, [], f"{folder}.log")
        self.port, self.configuration = int(port), pathlib.Path(f"{folder}.cfg")
        self.configuration.parent.mkdir(parents=True, exist_ok=True)
        servers = "\n".join(
            f"    server {node.name} {node.host}:{node.port} check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions"
            for node in nodes)
        # Two descriptors for each connection, and some for the rest.
        most = min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] // 2 - 200)
        self.configuration.write_text(f"""global
    maxconn {most}
defaults
    mode http
    timeout connect 2s
    timeout client 300s
    timeout server 300s
    timeout tunnel 1h
    # A request that no node has begun to answer may go to another one.
    option redispatch
    retries 3
frontend door
    bind {listen}
    default_backend nodes
backend nodes
    balance leastconn
    option httpchk GET /readyz
    http-check expect status 200
    option forwardfor
{servers}
""")

    def command_line(self):
        return ["haproxy", "-db", "-f", self.configuration]

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    @staticmethod
    def install():
        """Installs Debian's HAProxy if no HAProxy is there. Ours runs with this user's rights and its own configuration;
        the package's own service, which listens nowhere, stays as it is."""
        if shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/sbin"):
            os.environ["PATH"] += ":/usr/sbin:/sbin"
            return
        if not shutil.which("apt-get"):
            raise Problem("there is no haproxy; install it")
        rights = [] if os.geteuid() == 0 else ["sudo"]
        if rights and not shutil.which("sudo"):
            raise Problem("there is no haproxy, and no sudo to install it: apt-get install haproxy")
        print("cluster: installing haproxy (a Debian package)", flush=True)
        for words in (["apt-get", "update", "-qq"],
                      ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq",
                       "--no-install-recommends", "haproxy"]):
            answer = subprocess.run([*rights, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if answer.returncode != 0:
                raise Problem(f"haproxy could not be installed: {answer.stderr.strip()[-300:]}")
        os.environ["PATH"] += ":/usr/sbin:/sbin"
