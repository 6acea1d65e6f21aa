"""The table of a cluster: what each node says of itself, and what the journal's servers say."""

import time

HEAD = ["node", "state", "role", "term", "applied", "lacks", "lag s", "sessions", "writes/s", "address"]


def lag(figures):
    """Seconds for which the node has lacked what the journal has."""
    return figures.get("journal_lag_seconds")


def number(value, digits=0):
    return "–" if value is None else f"{value:,.{digits}f}"


class View:
    def __init__(self, cluster, balancer=None):
        self.cluster, self.balancer = cluster, balancer
        self.before = {}

    def rows(self):
        rows, now = [HEAD], time.monotonic()
        for node in self.cluster.nodes:
            figures = node.figures() if node.is_running and not node.is_frozen else {}
            leads = figures.get("journal_leading")
            role = "–" if not figures else "alone" if leads is None else "leads" if leads == 1 else "follows"
            state = node.state + (", cut" if self.is_cut(node.name) else "")
            if state == "runs" and not figures:
                state = "no answer"
            writes, rate = figures.get("writes_total"), None
            if writes is not None and node.name in self.before and self.before[node.name][1] <= writes:
                at, old = self.before[node.name]
                rate = (writes - old) / max(now - at, 0.001)
            if writes is not None:
                self.before[node.name] = (now, writes)
            rows.append([node.name, state, role, *(number(figures.get(name)) for name in (
                "journal_term", "journal_applied", "journal_lag_entries")), number(lag(figures), 1),
                number(figures.get("sessions")), number(rate), node.url])
        return self.mark_old_leaders(rows)

    @staticmethod
    def mark_old_leaders(rows):
        """A node that leads an older term than another one has not heard yet that it was replaced."""
        role, term = HEAD.index("role"), HEAD.index("term")
        terms = [int(row[term].replace(",", "")) for row in rows[1:] if row[role] == "leads" and row[term] != "–"]
        for row in rows[1:]:
            if row[role] == "leads" and row[term] != "–" and int(row[term].replace(",", "")) < max(terms):
                row[role] = "led"
        return rows

    def is_cut(self, name):
        return hasattr(self.cluster.network, "is_cut") and self.cluster.network.is_cut(name)

    def journal_rows(self):
        rows = [["journal", "state", "role", "first", "last", "MB", "address"]]
        for server in self.cluster.servers:
            facts = server.facts() if server.is_running and not server.is_frozen else {}
            role = "–" if not facts.get("leader") else "leads" if facts["leader"] == f"n{server.number}" else "follows"
            state = "no answer" if server.state == "runs" and not facts else server.state
            rows.append([server.number, state, role, number(facts.get("first")), number(facts.get("last")),
                         number(facts["bytes"] / 1e6, 1) if "bytes" in facts else "–", server.url])
        return rows

    def text(self):
        parts = [table(self.rows())]
        if self.cluster.servers:
            parts.append(table(self.journal_rows()))
        if self.balancer:
            parts.append(f"balancer  {self.balancer.state}  {self.balancer.url}")
        return "\n\n".join(parts)


def table(rows):
    """Columns: the first two and the last to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if place in (0, 1, len(row) - 1) else cell.rjust(width)
                 for place, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
