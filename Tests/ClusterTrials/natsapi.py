"""A few requests to a NATS server, as an operator's `nats` program sends them: plain text over one connection."""

import json
import socket

from cluster_parts.processes import Problem


def request(server, subject, body=None, seconds=5.0):
    """Sends a request to a server, and returns the answer as JSON; a Problem where there is none."""
    payload = json.dumps(body).encode() if body is not None else b""
    try:
        with socket.create_connection((server.host, server.port), timeout=seconds) as connection:
            lines = connection.makefile("rb")
            lines.readline()
            connection.sendall(
                b'CONNECT {"verbose":false,"pedantic":false,"name":"trial"}\r\nSUB _INBOX.trial 1\r\nPUB '
                + f"{subject} _INBOX.trial {len(payload)}\r\n".encode() + payload + b"\r\n")
            while line := lines.readline():
                if line.startswith(b"PING"):
                    connection.sendall(b"PONG\r\n")
                elif line.startswith(b"MSG"):
                    return json.loads(lines.read(int(line.split()[-1]) + 2))
                elif line.startswith(b"-ERR"):
                    raise Problem(f"{server.name} refuses {subject}: {line.decode().strip()}")
    except (OSError, ValueError) as problem:
        raise Problem(f"{server.name} does not answer {subject}: {problem}") from problem
    raise Problem(f"{server.name} ended the connection at {subject}")


def journal(server, verb, rest="", body=None, stream="WW-watchwise"):
    """A request of JetStream's API on the journal's stream, such as PURGE."""
    answer = request(server, f"$JS.API.STREAM.{verb}.{stream}{rest}", body)
    if "error" in answer:
        error = answer["error"]
        raise Problem(f"{verb}: {error.get('description')} ({error.get('err_code')})")
    return answer


def lead(server):
    """Makes a server the one that leads the stream."""
    return journal(server, "LEADER.STEPDOWN", body={"placement": {"preferred": f"n{server.number}"}})
