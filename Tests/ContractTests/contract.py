"""Holds a server against its OpenAPI and AsyncAPI documents; see the script `run`."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import jsonschema

import commands
from server import Server

HERE = pathlib.Path(__file__).parent
SCOPES = ["admin", "admin:read", "admin:publish", "admin:moderate", "admin:operate", "admin:data", "metrics"]


def hold(server, document, tools, scope, quick):
    """Runs schemathesis with a scope, or without a token.

    Returns:
        Its output when it found something, else None.
    """
    arguments = [
        f"{tools}/schemathesis", "--config-file", str(HERE / "schemathesis.toml"), "run", document,
        "--url", server.url, "--checks", "all", "--generation-deterministic", "--continue-on-failure", "--no-color",
        "--phases", "examples,coverage,fuzzing" + ("" if quick else ",stateful"),
        "--max-examples", "5" if quick else "40", "--warnings", "off",
    ]
    if scope:
        arguments += ["-H", f"Authorization: Bearer {server.operator(scope)}"]
    # Its caches go into the folder of the run.
    run = subprocess.run(
        arguments, cwd=server.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    cases = re.findall(r"^  (\d+ generated.*)$", run.stdout, re.MULTILINE)
    print(f"{scope or 'no token'}: {cases[-1] if cases else 'nothing was generated'}", flush=True)
    # Without a case nothing was held against anything.
    return None if run.returncode == 0 and cases else run.stdout


def asyncapi_problems(server, binary, schema):
    """Holds the AsyncAPI document against the standard's own schema; without its file only against the printed one."""
    served = server.get("/v1/asyncapi.json")
    printed = subprocess.run([binary, "api", "asyncapi"], check=True, capture_output=True).stdout
    if printed.strip() != served.strip():
        return ["'watchwise api asyncapi' prints another document than GET /v1/asyncapi.json answers"]
    if not schema:
        return []
    wanted = json.loads(pathlib.Path(schema).read_text())
    found = jsonschema.Draft7Validator(wanted).iter_errors(json.loads(served))
    return [f"{list(problem.absolute_path)}: {problem.message[:200]}" for problem in found][:5]


def hold_description(binary, scopes, tools, schema, quick):
    """Holds the documents against their standards, and the server against its OpenAPI document, scope by scope.

    Returns:
        How many checks passed, and how many failed.
    """
    failures = 0
    passed = 0
    for scope in scopes:
        server = Server(binary)
        try:
            document = server.folder + "/openapi.json"
            served = server.get("/v1/openapi.json")
            pathlib.Path(document).write_bytes(served)
            if scope == "admin":
                printed = subprocess.run([binary, "api", "openapi"], check=True, capture_output=True).stdout
                if printed.strip() != served.strip():
                    print("'watchwise api openapi' prints another document than GET /v1/openapi.json answers")
                    failures += 1
                valid = subprocess.run(
                    [f"{tools}/openapi-spec-validator", document], capture_output=True, text=True)
                print(valid.stdout.strip() + valid.stderr.strip(), flush=True)
                passed, failures = (passed + 1, failures) if valid.returncode == 0 else (passed, failures + 1)
                problems = asyncapi_problems(server, binary, schema)
                print("asyncapi.json: " + ("; ".join(problems) or "OK"), flush=True)
                passed, failures = (passed, failures + 1) if problems else (passed + 1, failures)
            problem = hold(server, document, tools, scope, quick)
        finally:
            lived = server.end_well()
        if problem or not lived:
            failures += 1
            print(problem or "the server ended")
        else:
            passed += 1
    return passed, failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("tools")
    parser.add_argument("schema", nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--commands", action="store_true")
    parser.add_argument("--seed", type=int)
    given = parser.parse_args()
    scopes = ["admin", None] if given.quick else SCOPES + [None]
    passed, failures = (0, 0) if given.commands else hold_description(
        given.binary, scopes, given.tools, given.schema, given.quick)
    # A change is held against the same commands each time, a night against others.
    seed = given.seed if given.seed is not None else 1 if given.quick else int(time.time())
    findings = commands.hold(given.binary, given.quick, seed)
    print("\n".join(findings) or "commands: OK", flush=True)
    passed, failures = (passed, failures + 1) if findings else (passed + 1, failures)
    if not given.schema and not given.commands:
        print("skipped: AsyncAPI's own schema, which no package of PyPI has; give asyncapi/spec-json-schemas' 3.0.0.json with --asyncapi-schema")
    print(f"{passed} passed, {failures} failed")
    sys.exit(failures > 0)


main()
