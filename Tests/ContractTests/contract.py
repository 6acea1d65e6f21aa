"""Holds a server against its OpenAPI document; see the script `run`."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

import jsonschema

HERE = pathlib.Path(__file__).parent
SCOPES = ["admin", "admin:read", "admin:publish", "admin:moderate", "admin:operate", "admin:data", "metrics"]


class Server:
    """A server in a folder of its own."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = tempfile.mkdtemp(prefix="contract-")
        self.data = self.folder + "/data"
        self.process = subprocess.Popen(
            [binary, "serve", "--listen", "127.0.0.1:0", "--data", self.data, "--log-level", "error"],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"listening on \S*?:(\d+)$", line)
        if not found:
            raise RuntimeError(f"the server said {line!r}")
        self.url = f"http://127.0.0.1:{found[1]}"

    def token(self, scope):
        return subprocess.run(
            [self.binary, "token", "operator", "--scope", scope, "--data", self.data],
            check=True, capture_output=True, text=True).stdout.strip()

    def stop(self):
        """Ends the server, and says whether it lived until then and ended well."""
        lived = self.process.poll() is None
        if lived:
            self.process.send_signal(signal.SIGTERM)
        ended = self.process.wait(timeout=30)
        shutil.rmtree(self.folder)
        return lived and ended == 0


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
        arguments += ["-H", f"Authorization: Bearer {server.token(scope)}"]
    # Its caches go into the folder of the run.
    run = subprocess.run(
        arguments, cwd=server.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    cases = re.findall(r"^  (\d+ generated.*)$", run.stdout, re.MULTILINE)
    print(f"{scope or 'no token'}: {cases[-1] if cases else 'nothing was generated'}", flush=True)
    # Without a case nothing was held against anything.
    return None if run.returncode == 0 and cases else run.stdout


def asyncapi_problems(server, binary, schema):
    """Holds the AsyncAPI document against the standard's own schema; skipped, saying so, without its file."""
    with urllib.request.urlopen(server.url + "/v1/asyncapi.json") as answer:
        served = answer.read()
    printed = subprocess.run([binary, "api", "asyncapi"], check=True, capture_output=True).stdout
    if printed.strip() != served.strip():
        return ["'watchwise api asyncapi' prints another document than GET /v1/asyncapi.json answers"]
    if not schema:
        print("skipped: no package of PyPI has AsyncAPI's schema; give asyncapi/spec-json-schemas' 3.0.0.json with --asyncapi-schema")
        return []
    wanted = json.loads(pathlib.Path(schema).read_text())
    found = jsonschema.Draft7Validator(wanted).iter_errors(json.loads(served))
    return [f"{list(problem.absolute_path)}: {problem.message[:200]}" for problem in found][:5]


def main():
    quick = "--quick" in sys.argv
    binary, tools, schema = sys.argv[-3:]
    failures = 0
    passed = 0
    scopes = ["admin", None] if quick else SCOPES + [None]
    for scope in scopes:
        server = Server(binary)
        try:
            document = server.folder + "/openapi.json"
            with urllib.request.urlopen(server.url + "/v1/openapi.json") as answer:
                served = answer.read()
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
            lived = server.stop()
        if problem or not lived:
            failures += 1
            print(problem or "the server ended")
        else:
            passed += 1
    print(f"{passed} passed, {failures} failed")
    sys.exit(failures > 0)


main()
