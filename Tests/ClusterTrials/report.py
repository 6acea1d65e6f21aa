"""What each fault meant to clients, as a table."""

import itertools

HEAD = ["fault", "times", "writes stood, ms p50", "max", "goal", "sessions lost", "back after, ms p50", "max",
        "refusals and byes"]


def middle(values):
    values = sorted(values)
    return values[len(values) // 2] if values else None


class Measured:
    """What was seen of one fault: from just before it until the cluster was calm again."""

    def __init__(self, world, since, until):
        # Where writes stand for good, no later answer ends the time.
        oks = [*(at for at in world.oks if since - 1 <= at <= until), until]
        gaps = [later - earlier - sum(max(0, min(later, end) - max(earlier, start)) for start, end in world.rests)
                for earlier, later in itertools.pairwise(oks) if later > since]
        #: The longest time in which no write of anybody was answered; all of it if none was.
        self.stood = max(gaps)
        self.returns = [back - lost for lost, back in world.returns if since <= lost <= until]
        self.refused = {}
        for at, code in [*world.refusals, *((at, f"bye {code}") for at, code in world.byes)]:
            if since <= at <= until:
                self.refused[code] = self.refused.get(code, 0) + 1


def rows(faults):
    found = [HEAD]
    for fault in faults:
        if not fault.times:
            continue
        stood = [one.stood for one in fault.times]
        back = [time for one in fault.times for time in one.returns]
        refused = {}
        for one in fault.times:
            for code, count in one.refused.items():
                refused[code] = refused.get(code, 0) + count
        found.append([
            fault.name, str(len(fault.times)), ms(middle(stood)), ms(max(stood)), ms(fault.goal), str(len(back)),
            ms(middle(back)), ms(max(back, default=None)),
            ", ".join(f"{count} {code}" for code, count in sorted(refused.items(), key=str)) or "nobody"])
    return found


def ms(seconds):
    return "–" if seconds is None else f"{seconds * 1000:,.0f}"


def json_rows(faults):
    return [{"fault": fault.name, "goalMs": fault.goal * 1000,
             "times": [{"stoodMs": round(one.stood * 1000, 1), "returnsMs": [round(time * 1000, 1) for time in one.returns],
                        "refused": {str(code): count for code, count in one.refused.items()}} for one in fault.times]}
            for fault in faults if fault.times]
