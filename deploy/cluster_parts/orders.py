"""What a person can type."""

from .processes import Problem

KINDS = ("kill", "stop", "freeze", "thaw", "cut", "heal", "start")
HELP = "kill | stop | freeze | thaw | cut | heal | start   a | leader | follower | journal 2 | journal leader;   status, help, quit"


class Orders:
    def __init__(self, cluster, balancer=None):
        self.cluster, self.balancer = cluster, balancer

    def find(self, words):
        """The member that the words mean."""
        if words == ["leader"]:
            return self.cluster.await_leader(1)
        if words == ["follower"]:
            followers = [node for node in self.cluster.followers() if node.state == "runs"]
            if not followers:
                raise Problem("no follower runs")
            return followers[-1]
        if words == ["journal", "leader"]:
            return self.cluster.journal_leader(1)
        if words == ["balancer"] and self.balancer:
            return self.balancer
        if len(words) == 2 and words[0] == "journal":
            return self.cluster[words[1].removeprefix("n")]
        if len(words) == 1 and words[0].isalpha():
            return self.cluster[words[0]]
        raise Problem(f"'{' '.join(words)}' means nothing here; write a, leader, follower, journal 2 or journal leader")

    def do(self, line):
        """Does one line. Returns a sentence; a Problem says why it cannot be done."""
        kind, *words = line.split()
        if kind == "help":
            return HELP
        if kind not in KINDS:
            raise Problem(f"'{kind}' is no order; {HELP}")
        if kind == "start" and words == ["all"]:
            return self.start_all()
        member = self.find(words)
        if kind in ("cut", "heal"):
            if member not in self.cluster.nodes:
                raise Problem(f"only nodes can be cut off here; freeze {member.name} instead")
            getattr(self.cluster.network, kind)(member.name)
        else:
            getattr(member, kind)()
        return f"{kind} {member.name}: done"

    def start_all(self):
        """Brings back whatever was taken away."""
        self.cluster.network.heal()
        for member in [*self.cluster.servers, *self.cluster.nodes]:
            if member.is_frozen:
                member.thaw()
            if not member.is_running:
                member.start()
        return "start all: done"
