"""A whole cluster: three journal servers, three nodes, and the way between them."""

import random
import socket
import time

from .processes import JournalServer, Node, Problem, Relay, fetched_server


def free_ports(count):
    """Ports that nobody uses at this moment. They are below those that the system gives to connections (32768 on), so no
    connection gets one of them before its server has it; held until all are chosen, so that they differ."""
    held = []
    while len(held) < count:
        one = socket.socket()
        try:
            one.bind(("127.0.0.1", random.randrange(12_000, 32_000)))
        except OSError:
            one.close()
            continue
        held.append(one)
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Loopback:
    """All on 127.0.0.1, each on ports of its own. Between a node and the journal stands a relay, which `cut` freezes."""

    can_cut_anything = False

    def __init__(self, servers, nodes, folder, with_relays):
        self.folder, self.with_relays, self.relays = folder, with_relays, {}
        self.server_ports = {name: free_ports(3) for name in servers}
        self.node_ports = dict(zip(nodes, free_ports(len(nodes))))

    def host(self, _):
        return "127.0.0.1"

    def wrap(self, _):
        return []

    def journal(self, node, servers):
        """The addresses of the journal for a node."""
        if not self.with_relays:
            return [server.url for server in servers]
        ports = free_ports(len(servers))
        relay = Relay(f"relay {node}", f"{self.folder}/relay-{node}", [
            (port, server.host, server.port) for port, server in zip(ports, servers)])
        self.relays[node] = relay
        return [f"nats://127.0.0.1:{port}" for port in ports]

    def start(self):
        for relay in self.relays.values():
            relay.start()

    def cut(self, node):
        if node not in self.relays:
            raise Problem(f"{node} cannot be cut off; only nodes can")
        self.relays[node].freeze()

    def heal(self, node=None):
        for name, relay in self.relays.items():
            if node in (None, name):
                relay.thaw()

    def is_cut(self, node):
        return node in self.relays and self.relays[node].is_frozen

    def end(self):
        for relay in self.relays.values():
            relay.end()


class Cluster:
    """Three journal servers, and nodes of which the first founds the cluster.

    With `journal=0` there is one node alone, or several that know nothing of each other: for trials of the trials."""

    def __init__(self, folder, binary, network, server_names=("1", "2", "3"), node_names=("a", "b", "c"), more=()):
        self.folder, self.binary, self.network = folder, binary, network
        self.servers, self.nodes = [], []
        if server_names:
            program = fetched_server()
            routes = [f"nats://{network.host(name)}:{network.server_ports[name][2]}" for name in server_names]
            self.servers = [
                JournalServer(name, network.host(name), network.wrap(name), f"{folder}/journal-{name}",
                              network.server_ports[name], routes, program) for name in server_names]
        for name in node_names:
            journal = network.journal(name, self.servers) if self.servers else []
            self.nodes.append(
                Node(name, network.host(name), network.wrap(name), f"{folder}/node-{name}", binary,
                     network.node_ports[name], journal, [server.monitor for server in self.servers], more))

    def __getitem__(self, name):
        """A node by its letter, a journal server by its number."""
        for member in self.nodes + self.servers:
            if name in (member.name, getattr(member, "number", None)):
                return member
        raise Problem(f"there is no '{name}'; the nodes are {', '.join(node.name for node in self.nodes)}, "
                      f"the journal servers {', '.join(server.number for server in self.servers)}")

    def start(self, say=lambda line: None):
        """Starts everything, in order. A Problem says what did not work."""
        self.start_journal(say)
        first = self.nodes[0]
        if self.servers:
            say("node a makes the cluster")
            first.found()
        first.start()
        first.wait()
        first.token = first.make_token("operator", "admin")
        for node in self.nodes[1:]:
            say(f"node {node.name} joins")
            node.take_secrets(first)
            node.token = first.token
            node.start()
        for node in self.nodes:
            node.wait()

    def start_journal(self, say=lambda line: None):
        if not self.servers:
            return
        say("the journal's servers start")
        for server in self.servers:
            server.start()
        self.network.start()
        end = time.monotonic() + 30
        while not any(server.facts().get("meta") for server in self.servers):
            if time.monotonic() > end:
                raise Problem(f"the journal's servers found no leader in 30 s: {self.servers[0].last_words()}")
            time.sleep(0.1)

    # MARK: Roles

    def leader(self):
        """The node that says that it leads, by its metrics; the one of the highest term if several do."""
        found = [(figures.get("journal_term", 0), node) for node in self.nodes if node.is_running and not node.is_frozen
                 and (figures := node.figures()).get("journal_leading") == 1]
        return max(found, key=lambda pair: pair[0])[1] if found else None

    def await_leader(self, seconds=40):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if (found := self.leader()) is not None:
                return found
            time.sleep(0.05)
        raise Problem(f"no node led within {seconds} s")

    def followers(self):
        leader = self.leader()
        return [node for node in self.nodes if node is not leader]

    def journal_leader(self, seconds=40):
        """The server that leads the stream."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for server in self.servers:
                name = server.facts().get("leader") if server.is_running and not server.is_frozen else None
                if name and (found := self[name.removeprefix("n")]).is_running:
                    return found
            time.sleep(0.1)
        raise Problem(f"the journal had no leader within {seconds} s")

    def await_calm(self, seconds=90):
        """Waits until every node is ready and has applied as much as the others, twice in a row."""
        end, before = time.monotonic() + seconds, None
        while time.monotonic() < end:
            applied = [node.figures().get("journal_applied") for node in self.nodes]
            if None not in applied and len(set(applied)) == 1 and applied == before:
                return applied[0]
            before = applied
            time.sleep(0.5)
        raise Problem(f"the nodes are not equally far after {seconds} s: {before}")

    def verify(self):
        """Lets all nodes digest their tables at the same entry. Returns a problem, or None, and the rows of each."""
        return self.await_leader().verify(len(self.nodes))

    def end(self):
        for member in [*self.nodes, *self.servers]:
            member.end()
        self.network.end()
