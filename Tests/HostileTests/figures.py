"""The figures of a trial of `adversary.py`: its verdict, its line in the table, and two tables side by side."""

import json
import pathlib

from house import MIB

WAIT_MAX = 250
# On a busy machine, where the others wait longer even without an attack, the bound grows in proportion.
CONTROL_MAX = 100
BUSY_FACTOR = 4
# A debug build is tens of times slower for the same bytes: it is attacked with a tenth of them, and only shows that
# nothing stops for more than two seconds.
DEBUG_FACTOR = 8
MEMORY_MAX = 64 * MIB


def judge(figures, trial, isHundred, options):
    wrong = figures["wrong"]
    factor = min(BUSY_FACTOR, max(1, figures["control"][2] / CONTROL_MAX))
    if options.quick:
        factor *= DEBUG_FACTOR
    figures["limit"] = WAIT_MAX * factor
    number, _, p99, _ = figures["ok"]
    if number == 0:
        wrong.append("the others wrote nothing")
    if p99 > figures["limit"]:
        wrong.append(f"p99 of the others' writes {p99:.0f} ms, the bound is {figures['limit']:.0f}")
    before, peak, after = figures["memory"]
    # The follows of people who are connected are state, and not waste.
    memoryMax = MEMORY_MAX + trial.rowBytes * sum(figures.get("rows", {}).values())
    if peak - before > memoryMax:
        wrong.append(f"memory grew by {(peak - before) / MIB:.0f} MiB")
    if after - before > memoryMax:
        wrong.append(f"memory stayed {(after - before) / MIB:.0f} MiB larger")
    disk = trial.disk[1 if isHundred else 0]
    if figures["disk"] > disk * MIB:
        wrong.append(f"the folder grew by {figures['disk'] / MIB:.0f} MiB, the bound is {disk}")
    for kind, words in (("lost", "messages lost"), ("doubled", "messages came twice"), ("failed", "writes failed"),
                        ("unanswered", "writes without an answer at the end")):
        if figures[kind]:
            wrong.append(f"{figures[kind]} {words}")


HEADER = (f"{'':45} {'alone':>6} {'writes of others, ms':>22} {'deliv.':>7} {'reads':>7}  "
          f"{'memory, MiB':^17}  {'':5} {'disk':>5}\n"
          f"{'trial':41} {'from':>3} {'p99':>6} {'p50':>7} {'p99':>7} {'max':>7} {'p99':>7} {'p99':>7}  {'before':>5} "
          f"{'peak':>5} {'after':>5} {'cpu':>5} {'MiB':>5}  told")


def line(figures):
    _, p50, p99, worst = figures["ok"]
    before, peak, after = (size / MIB for size in figures["memory"])
    told = ", ".join(f"{count} {code}" for code, count in list(figures["told"].items())[:5])
    return (f"{figures['number']:>4} {figures['name']:36} {figures['addresses']:>3} {figures['control'][2]:6.1f} {p50:7.1f} "
            f"{p99:7.1f} {worst:7.0f} {figures['delivery'][2]:7.1f} {figures['read'][2]:7.1f}  {before:5.0f} {peak:5.0f} "
            f"{after:5.0f} {figures['processor']:5.0%} {figures['disk'] / MIB:5.0f}  {told}")


def compare(before, after):
    """A table in Markdown of two files of figures, before and after a change."""
    def read(path):
        # If a trial was repeated, the last round counts.
        return {(figures["number"], figures["name"], figures["addresses"]): figures
                for figures in json.loads(pathlib.Path(path).read_text())}

    def cells(figures):
        if figures is None:
            return ["–"] * 4
        start, peak, _ = figures["memory"]
        return [f"{figures['ok'][2]:,.0f}", f"{figures['read'][2]:,.0f}", f"{(peak - start) / MIB:+,.0f}",
                f"{figures['disk'] / MIB:+,.0f}"]

    old, new = read(before), read(after)
    print("| | attack | from | p99 of others' writes, ms | of their reads, ms | memory, MiB | disk, MiB |\n"
          "|---|---|---|---|---|---|---|")
    for key in list(new) + [key for key in old if key not in new]:
        pairs = zip(cells(old.get(key)), cells(new.get(key)))
        print("| " + " | ".join([str(part) for part in key] + [f"{one} → {other}" for one, other in pairs]) + " |")
