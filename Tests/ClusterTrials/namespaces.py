"""A network namespace for each journal server and each node, joined by a bridge: members of the cluster have addresses of
their own, and any direction between any two of them can be cut by a packet filter.

The trial itself runs in an outer namespace (Tests/ClusterTrials/run makes it), from which it reaches all of them, also those
that are cut off from each other."""

import subprocess

from cluster_parts.processes import Problem

BRIDGE = "ww"
NET = "10.77.0"


def run(*words):
    answer = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if answer.returncode != 0:
        raise Problem(f"'{' '.join(words)}' failed: {answer.stderr.strip()}")


class Namespaces:
    can_cut_anything = True

    def __init__(self, servers, nodes):
        self.addresses = {name: f"{NET}.{10 + place}" for place, name in enumerate([*servers, *nodes])}
        self.server_ports = dict.fromkeys(servers, (4222, 8222, 6222))
        self.node_ports = dict.fromkeys(nodes, 8080)
        self.holders = {}
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "address", "add", f"{NET}.1/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        for name, address in self.addresses.items():
            self.add(name, address)

    def add(self, name, address):
        # The namespace lives as long as this process.
        holder = subprocess.Popen(
            ["unshare", "-n", "setpriv", "--pdeathsig", "KILL", "sh", "-c", "echo ready; exec sleep infinity"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        holder.stdout.readline()
        self.holders[name] = holder
        run("ip", "link", "add", f"v{name}", "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        run("ip", "link", "set", f"v{name}", "master", BRIDGE, "up")
        inside = self.wrap(name)
        run(*inside, "ip", "link", "set", "lo", "up")
        run(*inside, "ip", "address", "add", f"{address}/24", "dev", "eth0")
        run(*inside, "ip", "link", "set", "eth0", "up")
        run(*inside, "nft", "add table inet cut; add chain inet cut out { type filter hook output priority 0; }")

    def host(self, name):
        return self.addresses[name]

    def wrap(self, name):
        """What stands before a command that runs in a member's namespace."""
        return ["nsenter", "-t", str(self.holders[name].pid), "-n", "--"]

    def journal(self, _, servers):
        return [server.url for server in servers]

    def start(self):
        """Everything is there already."""

    def drop(self, source, target):
        """From now on nothing that one member sends reaches another."""
        run(*self.wrap(source), "nft", f"add rule inet cut out ip daddr {self.addresses[target]} drop")

    def part(self, some, others):
        """Cuts both directions between two groups."""
        for one in some:
            for other in others:
                self.drop(one, other)
                self.drop(other, one)

    def heal(self):
        for name in self.addresses:
            run(*self.wrap(name), "nft", "flush chain inet cut out")

    def end(self):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
        # Another cluster of the same trial takes these names again, and the kernel needs a moment to remove them by itself.
        for link in [BRIDGE, *(f"v{name}" for name in self.holders)]:
            subprocess.run(["ip", "link", "delete", link], stdin=subprocess.DEVNULL, capture_output=True)


def why_not():
    """Why there cannot be namespaces here; None if there can."""
    try:
        run("unshare", "-n", "sh", "-c",
            "ip link set lo up && ip link add x type veth peer name y && ip link add z type bridge && "
            "nft 'add table inet t; add chain inet t o { type filter hook output priority 0; }'")
        return None
    except (Problem, OSError) as problem:
        return str(problem)
