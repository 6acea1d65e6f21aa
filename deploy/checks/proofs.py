"""What the checks themselves promise, on a small package and with small programs."""

import argparse
import contextlib
import io
import json
import os
import pathlib
import re
import string
import subprocess
import sys
import tempfile
import time

import choosing
import run
import swift_tests
from catalogue import DECIDED, FIRST, LANES, LATER, PARTS, READ, STEPS, Inputs
from graph import ROOT, Graph
from proved import Proved
from scheduling import Job, Scheduler


def package():
    """Low, High that sees it, their tests, and a program on top."""
    targets = [("Low", "regular", [], "Sources/Words/Low"), ("High", "regular", ["Low"], "Sources/Doors/High"),
               ("LowTests", "test", ["Low"], "Tests/Words/LowTests"), ("HighTests", "test", ["High"], "Tests/Doors/HighTests"),
               ("watchwise", "executable", ["High"], "Sources/Programs/watchwise")]
    return Graph({"targets": [{"name": name, "type": kind, "path": path, "dependencies": [{"byName": [seen, None]} for seen in sees]}
                              for name, kind, sees, path in targets]})


def choice(*paths):
    """What these changes choose, by names."""
    made = choosing.since(package(), paths)
    return set(made.tests), set(made.steps)


def a_change_chooses_what_reaches_it():
    assert choice("Sources/Words/Low/A.swift")[0] == {"LowTests", "HighTests"}
    assert choice("Sources/Doors/High/A.swift")[0] == {"HighTests"}
    assert choice("Tests/Words/LowTests/A.swift") == ({"LowTests"}, set())


def a_page_chooses_nothing_and_a_trial_itself():
    assert choice("Sources/Doors/High/High.docc/High.md", "LICENSE") == (set(), set())
    assert choice("Tests/CrashTests/run") == (set(), {"crash"})
    assert "readme" in choice("README.md")[1]


def what_decides_chooses_everything():
    everything = {"LowTests", "HighTests"}, {step.name for step in STEPS}
    for path in ("Package.swift", "deploy/checks/run.py", "Sources/Nobody/A.swift"):
        assert choice(path) == everything, path


def the_catalogue_names_what_is_there():
    graph = Graph.current()
    for step in STEPS:
        unknown = [name for name in (*step.modules, *step.needs) if name not in graph.sees]
        assert not unknown, f"{step.name}: there are no {unknown}"
        assert (ROOT / step.words.split()[0]).exists(), f"{step.name}: no {step.words.split()[0]}"
        missing = [path for path in step.files if not list(ROOT.glob(path.rstrip("/") + "*"))]
        assert not missing, f"{step.name}: no {missing}"
    named = [name for names in (*LANES.values(), LATER, *READ.values()) for name in names]
    assert set(named) <= graph.tests, set(named) - graph.tests
    assert all((ROOT / path).exists() for path in READ), READ
    lanes = {f"tests-{lane}{part}" for lane in LANES for part in PARTS.get(lane, {"": ""})}
    assert set(FIRST) <= lanes | {step.name for step in STEPS}, FIRST


# In two parts, since the style forbids the sentence.
NOTHING = "0 passed, " + "0 failed"


def a_step_that_counts_nothing_failed():
    assert run.verdict(["3 passed, 0 failed"], 0, False) == (3, 0)
    assert run.verdict([NOTHING], 0, False) == (0, 1)
    assert run.verdict([NOTHING], 0, True) == (0, 0)
    assert run.verdict(["3 passed, 0 failed"], 1, True) == (3, 1)
    assert run.verdict([], 0, True) == run.verdict(["done"], 0, True) == (0, 1)


def jobs(*given):
    """Runs jobs; gives how they ended, and which ran side by side with which."""
    with tempfile.TemporaryDirectory() as folder:
        ended = {}
        made = [Job(name, ["sh", "-c", words], f"{folder}/{name}", **more) for name, words, more in given]
        times = {}
        def end(one):
            ended[one.job.name] = one
            times[one.job.name] = (time.monotonic() - one.seconds, time.monotonic())
        Scheduler(2, end).run(made)
        pairs = {(first, second) for first in times for second in times
                 if first != second and times[first][0] < times[second][1] and times[second][0] < times[first][1]}
        return ended, pairs


def what_is_alone_is_alone():
    ended, pairs = jobs(("alone", "sleep 0.2", {"alone": True}), ("one", "sleep 0.3", {}), ("other", "sleep 0.3", {}),
                        ("third", "sleep 0.1", {}))
    assert all(one.status == 0 for one in ended.values())
    assert ("one", "other") in pairs and not any("alone" in pair for pair in pairs), pairs


def what_takes_too_long_is_stopped():
    ended, _ = jobs(("long", "sleep 60 & wait", {"limit": 0.3}), ("short", "exit 3", {}))
    assert ended["long"].is_late and ended["long"].seconds < 5 and ended["short"].status == 3


def what_is_ended_ends_its_steps():
    with tempfile.TemporaryDirectory() as folder:
        words = f"echo $$ >{folder}/pid; sleep 30"
        source = ("import signal, sys; sys.path.insert(0, sys.argv[1]); from scheduling import Job, Scheduler\n"
                  "signal.signal(signal.SIGTERM, Scheduler.end)\n"
                  "Scheduler(1, print).run([Job('a', ['sh', '-c', sys.argv[2]], sys.argv[3])])")
        check = subprocess.Popen([sys.executable, "-B", "-c", source, str(pathlib.Path(__file__).parent), words, f"{folder}/log"])
        number = pathlib.Path(folder, "pid")
        while not number.exists() or not number.read_text().strip():
            time.sleep(0.02)
        check.terminate()
        assert check.wait() == 143
        step = pathlib.Path("/proc", number.read_text().strip(), "stat")
        for _ in range(1000):
            if not step.exists() or step.read_text().split()[2] == "Z":
                return
            time.sleep(0.02)
        raise AssertionError("the step goes on after the check")


def what_fails_beside_others_and_passes_alone_is_unsteady():
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        run.UNSTEADY = pathlib.Path(folder, "unsteady")
        check = run.Check(argparse.Namespace(jobs=2, once=False, allow_skips=False), folder)
        second = f"test -e {folder}/seen && echo '2 passed, 0 failed' || (touch {folder}/seen; echo 'not ok 1'; echo '1 passed, 1 failed'; exit 1)"
        check.run_all([Job(name, ["sh", "-c", words], f"{folder}/{name}") for name, words in [
            ("steady", "echo '3 passed, 0 failed'"), ("moody", second), ("broken", "echo '4 passed, 1 failed'; exit 1"),
            ("idle", f"echo '{NOTHING}'")]])
        assert (check.passed, check.failed) == (3 + 2 + 4, 2), check.summary
        assert sorted(check.failures) == ["broken", "idle"] and check.unsteady == ["moody: not ok 1"], check.unsteady
        assert run.UNSTEADY.read_text().endswith("moody: not ok 1\n")


def a_step_that_names_its_failed_parts_runs_only_those():
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        run.UNSTEADY = pathlib.Path(folder, "unsteady")
        check = run.Check(argparse.Namespace(jobs=2, once=False, allow_skips=False), folder)
        words = ("test \"$*\" = '--only b' && { echo '5 passed, 0 failed'; exit 0; }\n"
                 "echo 'not ok 1'; echo 'again: --only b'; echo '9 passed, 1 failed'; exit 1")
        check.run_all([Job("parts", ["sh", "-c", words, "parts"], f"{folder}/parts")])
        # Of the five that ran again, four had passed before.
        assert (check.passed, check.failed) == (9 + 1, 0), check.summary


def a_swift_test_that_is_skipped_fails_unless_only_root_can_try_it():
    with tempfile.TemporaryDirectory() as folder:
        lines = ['➜ Test "a name" skipped: "there is no openssl"', '➜ Test name() skipped', '➜ Test other() skipped: "only root can"',
                 '✔ Test "it is skipped: or not" passed after 0.1 seconds.']
        pathlib.Path(folder, "tests-lane.log").write_text("\n".join(lines))
        wanted = ["skipped, 1 tests: no reason is given", "skipped, 1 tests: there is no openssl"]
        if os.geteuid() == 0:
            wanted.insert(1, "skipped, 1 tests: only root can")
        assert swift_tests.Results(folder, "lane", False).unproved() == wanted


def lanes_hold_each_target_once_and_no_marked_test():
    targets = Graph.current().tests
    made = swift_tests.lanes("program", targets, "/nowhere")
    patterns = [job.command[job.command.index("--filter") + 1] for job in made if not job.alone]
    # Names of suites begin with a capital letter; a function that stands in none begins with another character.
    for target in targets:
        for first in string.ascii_letters + "`_":
            found = [pattern for pattern in patterns if re.search(pattern, f"{target}.{first}Suite/`it holds`()")]
            assert len(found) == 1, (target, first, found)
    planted = swift_tests.marked("planted")
    assert all(pattern in job.command for job in made if not job.alone for pattern in planted)


@contextlib.contextmanager
def tree():
    """A tree with a module, a folder of a step, a program and a folder of the build; and what runs of its two steps count."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        root = pathlib.Path(folder)
        for path in ("Sources/Words/Low/Low.swift", "Tests/Low/run", "build/program", "Package.swift"):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(path)
        decided = {"low": Inputs("the same", ("program",), ("Low",), ("Tests/Low/",))}
        run.UNSTEADY = root / "unsteady"

        def runs(words="echo '3 passed, 0 failed'", name="low", **given):
            options = {"jobs": 2, "once": False, "allow_skips": False, "afresh": False, "steps": [], **given}
            check = run.Check(argparse.Namespace(**options), folder)
            check.proved = Proved(root / "build/proved.json", decided, package(), root / "build", root)
            job = Job(name, ["sh", "-c", f"cd {folder}; echo >>ran; {words}"], f"{folder}/log")
            (root / "ran").write_text("")
            if not check.is_proved(job):
                check.run_all([job])
            return (root / "ran").read_text().count("\n"), check.passed, check.failed
        run.DECIDED = decided
        try:
            yield root, runs
        finally:
            run.DECIDED = DECIDED


def what_was_proved_with_the_same_is_carried():
    with tree() as (root, runs):
        # First the run of a clean clone; a step that is not decided by its inputs alone runs each time.
        assert runs() == (1, 3, 0) and runs() == (0, 3, 0) and runs() == (0, 3, 0)
        assert runs(name="other") == runs(name="other") == (1, 3, 0)
        assert runs(steps=["low"]) == runs(afresh=True) == (1, 3, 0)
        for path in ("Sources/Words/Low/Low.swift", "Tests/Low/run", "Tests/Low/lock.txt", "build/program", "Package.swift"):
            (root / path).write_text(f"{path} is another")
            assert runs() == (1, 3, 0) and runs() == (0, 3, 0), path
        (root / "Tests/Low/page.md").write_text("a page")
        assert runs() == (0, 3, 0)
        (root / "build/proved.json").write_text("{")
        assert runs() == (1, 3, 0)


def what_failed_or_was_unsteady_is_not_carried():
    with tree() as (root, runs):
        assert runs() == (1, 3, 0)
        # Named, it runs and fails: then what it had proved is forgotten.
        assert runs("echo '2 passed, 1 failed'; exit 1", steps=["low"]) == (2, 2, 1)
        assert runs("test -e seen && echo '3 passed, 0 failed' || (touch seen; exit 1)") == (2, 3, 0)
        assert runs("echo changed >Tests/Low/run; echo '3 passed, 0 failed'") == (1, 3, 0)
        assert runs("echo '3 passed, 0 failed'", allow_skips=True) == (1, 3, 0)
        assert not json.loads((root / "build/proved.json").read_text())
        assert runs() == (1, 3, 0) and runs() == (0, 3, 0)


def what_may_be_carried_knows_its_inputs():
    jobs, graph = {step.name: step for step in STEPS} | {f"tests-{lane}": None for lane in LANES}, Graph.current()
    for name, inputs in DECIDED.items():
        step = jobs[name]
        assert set(inputs.modules) <= set(graph.sees), name
        assert all((ROOT / path).exists() for path in inputs.files), name
        if step:
            # It lacks nothing for whose change `--since` runs the step: a program's bytes stand for its modules.
            assert {step.folder, *step.files} <= set(inputs.files) or "Sources/Doors/Gateway/" in inputs.files, name
            assert set(step.needs) == set(inputs.programs) and (inputs.programs or set(step.modules) <= set(inputs.modules)), name
    assert not {"crash", "cluster", "browser", "sdk"} & set(DECIDED)


def marks_are_found_where_they_stand():
    assert [pattern for pattern in swift_tests.marked("planted") if pattern.startswith("^SimulationTests")]
    assert not swift_tests.marked("unknown")


PROOFS = [a_change_chooses_what_reaches_it, a_page_chooses_nothing_and_a_trial_itself, what_decides_chooses_everything,
          the_catalogue_names_what_is_there, a_step_that_counts_nothing_failed, what_is_alone_is_alone,
          what_takes_too_long_is_stopped, marks_are_found_where_they_stand,
          what_was_proved_with_the_same_is_carried, what_failed_or_was_unsteady_is_not_carried, what_may_be_carried_knows_its_inputs,
          what_is_ended_ends_its_steps, what_fails_beside_others_and_passes_alone_is_unsteady, lanes_hold_each_target_once_and_no_marked_test,
          a_swift_test_that_is_skipped_fails_unless_only_root_can_try_it]


def main():
    """Prints what does not hold."""
    failed = 0
    for proof in PROOFS:
        try:
            proof()
        except AssertionError as error:
            failed += 1
            print(f"{pathlib.Path(__file__).name}: {proof.__name__.replace('_', ' ')}: {error}")
    print(f"{len(PROOFS) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
