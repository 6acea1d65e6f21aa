"""Whether the figures of a server can be used: a real Prometheus reads them, and answers every question of the board and of the rules.

A server gets triggers, documents, messages, a refused token and a backup. `promtool` must have nothing to say of the figures and of the
rules, each rule fires for a server that has its fault (`faults.py`), and no expression names a figure that is not there. The page
of a server with 500 triggers comes within 10 ms. The last line is "N passed, M failed".
"""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]

import faults  # noqa: E402
from Trials import verdict  # noqa: E402
from Trials.device import Ended, Session  # noqa: E402
from Trials.process import Problem, Process  # noqa: E402
from Trials.server import Server, ask, free_port  # noqa: E402
from Trials.verdict import wait  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/prometheus/watchwise.rules.yml"
BOARD = ROOT / "deploy/grafana/watchwise.json"
# Figures that only a server with the thing has: nodes of a cluster, TLS, pushes that were sent.
ELSEWHERE = re.compile(r"watchwise_(journal_|tls_certificate_expiry|push_sent)|^up$")
TRIGGERS = 500
PAGE_MILLISECONDS = 10


class Prometheus(Process):
    """A real one, which reads the figures each second."""

    def __init__(self, folder, target):
        super().__init__("prometheus", folder / "prometheus.log")
        self.port, self.folder = free_port(), folder
        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s"}, "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "watchwise", "static_configs": [{"targets": [target]}]}]}))

    def command_line(self):
        return ["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                f"--web.listen-address=127.0.0.1:{self.port}"]

    def answer(self, expression):
        """What an expression gives now: a list, or the error."""
        query = urllib.parse.urlencode({"query": expression})
        status, content = ask("127.0.0.1", self.port, f"/api/v1/query?{query}", timeout=10)
        found = json.loads(content)
        return found["data"]["result"] if status == 200 else found["error"]


def complaint(*command, text=None):
    """What a program says that has found something; empty if it has not."""
    done = subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True)
    said = (done.stdout + done.stderr).strip()
    return [said] if said and (done.returncode or text is not None) else []


def use(server):
    """Many triggers, documents that match one of them, messages, a refused command and token, a session that is kicked, a backup."""
    admin = server.token("operator", "admin")
    for number in range(TRIGGERS):
        row = {"name": f"t{number}", "event": "write", "path": f"items{number}/{{id}}", "audience": "everyone", "title": {"en": "T"}}
        status, answer = server.ask("PUT", f"/v1/triggers/t{number}", row, admin)
        if status != 200:
            raise Problem(f"the trigger was answered {status}: {answer}")
    for number in range(200):
        server.ask("PUT", f"/v1/documents/items{number % TRIGGERS}/a", {"n": number}, admin)
    alice = server.token("alice")
    server.ask("POST", "/v1/commands", {"type": "follow", "topic": "user:bob", "key": "f"}, alice)
    for number in range(50):
        server.ask("POST", "/v1/commands", {"type": "send", "to": "bob", "text": f"{number}", "key": f"k{number}"}, alice)
        server.ask("POST", "/v1/commands", {"type": "chats"}, alice)
    server.ask("POST", "/v1/commands", {"type": "send", "to": "bob"}, alice)
    server.ask("GET", "/v1/stats", token="no.to.ken")
    session = Session.open(server.port, alice, "phone")
    server.run("kick", "alice")
    with contextlib.suppress(Ended):
        while session.receive():
            pass
    ask("127.0.0.1", server.port, "/v1/backup", timeout=60, token=admin)


def page(server):
    """The page of figures, and the milliseconds until it was there: the least of ten."""
    times = []
    for _ in range(10):
        began = time.perf_counter()
        _, content = ask("127.0.0.1", server.port, "/metrics", timeout=10)
        times.append((time.perf_counter() - began) * 1000)
    return content.decode(), min(times)


def expressions():
    """Those of the board, without its variables, and those of the rules."""
    found = [target["expr"] for panel in json.loads(BOARD.read_text())["panels"] for target in panel.get("targets", [])]
    found = [text.replace('instance=~"$instance"', "").replace("$__rate_interval", "10s").replace(",}", "}") for text in found]
    return found + [line.strip().removeprefix("expr: ") for line in RULES.read_text().splitlines() if line.strip().startswith("expr: ")]


def names(expression):
    return set(re.findall(r"\b(?:watchwise|process)_[a-z_]+|\bup\b", expression))


def look(checks, folder):
    server = Server(OPTIONS.program, folder / "data", "--backup-to", folder / "copies").start()
    use(server)
    text, milliseconds = page(server)
    checks.judge("promtool has nothing to say of the figures", complaint("promtool", "check", "metrics", text=text))
    checks.judge("promtool has nothing to say of the rules", complaint("promtool", "check", "rules", RULES))
    trial = folder / "rules.test.yml"
    trial.write_text(faults.tests(RULES))
    checks.judge("each rule fires for its fault, and not without it", complaint("promtool", "test", "rules", trial))
    checks.check(f"a page with {TRIGGERS} triggers comes within {PAGE_MILLISECONDS} ms", milliseconds <= PAGE_MILLISECONDS,
                 f"{milliseconds:.1f} ms, {len(text) // 1024} KiB, {sum(not line.startswith('#') for line in text.splitlines())} numbers")
    ask_prometheus(checks, folder, server, text)


def ask_prometheus(checks, folder, server, text):
    prometheus = Prometheus(folder, f"127.0.0.1:{server.port}")
    prometheus.launch()
    wait(lambda: prometheus.is_running and answers(prometheus, "count_over_time(watchwise_ready[1m]) > 4"), 60)
    shown = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    questions = expressions()
    wrong, silent, unknown = [], [], []
    for question in questions:
        answer = prometheus.answer(question)
        if isinstance(answer, str):
            wrong.append(f"{question}: {answer}")
        used = {re.sub("_(bucket|sum|count)$", "", name) for name in names(question)}
        unknown += [f"{name} in: {question}" for name in used - shown if not ELSEWHERE.search(name)]
        is_elsewhere = any(ELSEWHERE.search(name) for name in used)
        if answer == [] and not re.search(" (==|<|>) ", question) and not is_elsewhere:
            silent.append(question)
    checks.judge(f"Prometheus understands all {len(questions)} expressions of the board and of the rules", wrong)
    checks.judge("they name no figure that is not there", unknown)
    checks.judge("those of the board have an answer", silent)
    firing = prometheus.answer('ALERTS{alertstate="firing"}')
    checks.check("a healthy server wakes nobody", [alert["metric"]["alertname"] for alert in firing] == [], firing)


def answers(prometheus, expression):
    """Whether it has an answer already; while it starts it has none, or one that is no JSON."""
    try:
        return prometheus.answer(expression)
    except (OSError, ValueError):
        return []


OPTIONS = verdict.Arguments(__doc__).parse_args()
sys.exit(verdict.run(look, name="figures"))
