"""The manifest with `ROOM` set to each module that has tests: it has those tests and everything that they see.

The manifest is compiled once and run as SwiftPM runs it, so that all of them take two seconds.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def compiled(folder):
    """The manifest as a program."""
    kit = pathlib.Path(shutil.which("swift")).resolve().parent.parent / "lib/swift/pm/ManifestAPI"
    program = f"{folder}/manifest"
    subprocess.run(["swiftc", "-package-description-version", "6.2.0", "-swift-version", "6", "-I", kit, "-L", kit,
                    "-lPackageDescription", "-Xlinker", "-rpath", "-Xlinker", kit, "-o", program, ROOT / "Package.swift"],
                   check=True)
    return program


def package(program, room):
    """The package that the manifest declares for a room."""
    context = json.dumps({"packageDirectory": str(ROOT)})
    made = subprocess.run([program, "-context", context, "-fileno", "1"], env={**os.environ, "ROOM": room},
                          capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise ValueError(made.stderr.split("\n", 1)[0])
    return json.loads(made.stdout)["package"]


def lacking(package, tests):
    """What the targets of a package name and it has not."""
    names = {target["name"] for target in package["targets"]}
    wanted = {tests}
    for target in package["targets"]:
        for dependency in target["dependencies"]:
            wanted |= {given["name"] for kind, given in dependency.items() if kind in ("byName", "target")}
    for product in package["products"]:
        wanted |= set(product["targets"])
    return wanted - names


def main():
    """Prints the rooms whose manifest lacks something."""
    rooms = subprocess.run([ROOT / "deploy/room", "--list"], capture_output=True, text=True, check=True).stdout.split()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(folder)
        whole = len(package(program, "")["targets"])
        for room in rooms:
            try:
                made = package(program, room)
                missing = lacking(made, f"{room}Tests")
            except ValueError as error:
                missing = {str(error)}
            if missing or len(made["targets"]) >= whole:
                print(f"ROOM={room}: {', '.join(sorted(missing)) or 'nothing is left out'}")
                failed += 1
            else:
                passed += 1
        try:
            package(program, "Nothing")
            print("ROOM=Nothing: an unknown name is taken")
            failed += 1
        except ValueError:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return failed or not passed


if __name__ == "__main__":
    sys.exit(main())
