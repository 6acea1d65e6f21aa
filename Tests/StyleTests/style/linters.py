"""The linters of other languages: each line of `Tests/StyleTests/linters` is a command, run from the root of the tree.

A linter prints its findings, and its status is not 0 if there are any. `#` begins a comment.
"""

import concurrent.futures
import subprocess


def commands(text):
    return [line.strip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]


def findings(command, root):
    run = subprocess.run(["sh", "-c", command], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace")
    if run.returncode == 0:
        return []
    return run.stdout.strip().split("\n") if run.stdout.strip() else [f"{command}: ended with {run.returncode}"]


def start(pool: concurrent.futures.Executor, text, root):
    """(command, future of its findings) of each linter."""
    return [(command, pool.submit(findings, command, root)) for command in commands(text)]
