"""Runs the ported Autobahn test suite against a server and prints a table of its cases by group.

The last line is "N passed, M failed". A case passes when both its behaviour and its way of closing are OK; NON-STRICT
is a failure; INFORMATIONAL cases have no right or wrong; they are listed but not counted.
"""

import argparse
import codecs
import collections
import contextlib
import pathlib
import sys

from bytes_as_text import all_text, as_bytes, as_text

QUICK_MESSAGES = 20
MASK_WORD = 4


def make_python_3_fast() -> None:
    """The library's own loops over bytes take minutes for the large cases; these give the same bytes."""
    import autobahn.websocket.protocol as protocol
    import autobahn.websocket.xormasker as xormasker

    class Masker(xormasker.XorMaskerNull):
        def __init__(self, mask):
            super().__init__()
            self.mask = mask

        def process(self, data):
            phase, count = self.ptr % MASK_WORD, len(data)
            self.ptr += count
            mask = (self.mask * (count // MASK_WORD + 2))[phase:phase + count]
            return (int.from_bytes(data, "big") ^ int.from_bytes(mask, "big")).to_bytes(count, "big")

    class Validator:
        def __init__(self):
            self.reset()

        def reset(self):
            self.decoder = codecs.getincrementaldecoder("utf-8")()

        def validate(self, data):
            try:
                self.decoder.decode(bytes(data))
            except UnicodeDecodeError:
                return False, False, 0, 0
            return True, not self.decoder.getstate()[0], len(data), len(data)

    protocol.createXorMasker = lambda mask, length=None: Masker(mask)
    protocol.Utf8Validator = Validator


def let_validator_take_text() -> None:
    """The cases of 6.* use the library's validator to find the wrong byte of a text."""
    import autobahn.websocket.utf8validator as module

    class Validator(module.Utf8Validator):
        def validate(self, data):
            return super().validate(as_bytes(data))

    module.Utf8Validator = Validator


def adapt(fuzzing, case) -> None:
    """Python 2's strings inside, bytes outside."""

    class Peer(fuzzing.FuzzingClientProtocol):
        def sendFrame(self, opcode, payload=b"", fin=True, rsv=0, mask=None, payload_len=None, chopsize=None,
                      sync=False):
            payload = as_bytes(payload)
            if payload_len is not None:
                payload = (payload * (payload_len // len(payload) + 1))[:payload_len]
            super().sendFrame(opcode, payload, fin, rsv, mask, None, chopsize, sync)

        def sendMessage(self, payload, *arguments, **named):
            super().sendMessage(as_bytes(payload), *arguments, **named)

        def sendMessageFrameData(self, payload, sync=False):
            return super().sendMessageFrameData(as_bytes(payload), sync)

        def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
            super().sendCloseFrame(code, as_bytes(reasonUtf8), isReply)

        def onMessage(self, message, binary):
            # The compression cases compute with bytes in Python 2 too.
            super().onMessage(message if hasattr(self.Case, "TESTDATA") else as_text(message), binary)

        def onPong(self, payload):
            super().onPong(as_text(payload))

        def logRxFrame(self, header, payload):
            super().logRxFrame(header, [as_text(piece) for piece in payload])

        def logTxFrame(self, header, payload, *arguments):
            super().logTxFrame(header, as_text(payload), *arguments)

    def readable(data, maxlen=64, replace=False):
        data = as_bytes(data)
        ellipsis = " ..." if len(data) > maxlen - 4 else ""
        try:
            return data[:maxlen].decode("utf-8", "replace" if replace else "strict") + ellipsis
        except UnicodeDecodeError:
            return "0x" + fuzzing.binLogData(data, maxlen)

    log_case = fuzzing.FuzzingFactory.logCase
    fuzzing.FuzzingFactory.logCase = lambda self, result: log_case(self, all_text(result))
    fuzzing.asciiLogData = readable
    fuzzing.FuzzingClientProtocol = Peer
    # Values are compared, not pickles: in Python 3, pickles of equal values differ when one holds an object twice.
    case.Case.compare = lambda self, left, right: left == right


def lower_counts(cases) -> None:
    for one in cases:
        if getattr(one, "COUNT", 0) > QUICK_MESSAGES:
            one.COUNT = QUICK_MESSAGES


def run(options, fuzzing) -> dict:
    from twisted.internet import reactor

    fuzzing.startClient({
        "outdir": str(options.report),
        "servers": [{"agent": options.agent, "url": options.url}],
        "cases": options.cases,
        "exclude-cases": options.exclude,
        "exclude-agent-cases": {},
    })
    factories = [item for item in [fuzzing.FuzzingFactory.current] if item]
    reactor.run()
    return factories[0].agents.get(options.agent, {}), factories[0].specCases


def table(results: dict, wanted: list[str], names: dict, expects_unimplemented: bool) -> int:
    """Prints the table; returns the number of failures."""
    verdicts = ["OK", "NON-STRICT", "INFORMATIONAL", "UNIMPLEMENTED", "FAILED"]
    counts = collections.defaultdict(collections.Counter)
    failures, informational, passed = [], [], 0
    for number in wanted:
        result = results.get(number)
        behaviour = result["behavior"] if result else "FAILED"
        close = result["behaviorClose"] if result else "NOT RUN"
        if behaviour == "OK" and close not in ("OK", "INFORMATIONAL"):
            behaviour = "FAILED"
        if behaviour not in verdicts:
            behaviour = "FAILED"
        group = counts[number.split(".")[0]]
        group[behaviour] += 1
        group["milliseconds"] += result["duration"] if result else 0
        if behaviour == "INFORMATIONAL":
            informational.append(number)
        elif behaviour == ("UNIMPLEMENTED" if expects_unimplemented else "OK"):
            passed += 1
        else:
            why = result["result"] + " / " + result["resultClose"] if result else "it did not run"
            failures.append(f"  {number}: {behaviour}, {close}: {why}")
    print(f"{'':3} {'group':46} {'OK':>5} {'NON-STRICT':>11} {'INFORM.':>8} {'UNIMPL.':>8} {'FAILED':>7} {'s':>7}")
    for group, row in sorted(counts.items(), key=lambda item: int(item[0])):
        print(
            f"{group:>3} {names.get(group, ''):46} {row['OK']:>5} {row['NON-STRICT']:>11} {row['INFORMATIONAL']:>8}"
            f" {row['UNIMPLEMENTED']:>8} {row['FAILED']:>7} {row['milliseconds'] / 1000:>7.1f}"
        )
    if informational:
        print("informational, without right or wrong: " + " ".join(informational))
    for line in failures:
        print(line)
    print(f"{passed} passed, {len(failures)} failed")
    return len(failures)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--cases", nargs="+", default=["*"], help="patterns such as 7.* or 12.1.3")
    parser.add_argument("--exclude", nargs="*", default=[])
    parser.add_argument("--quick", action="store_true", help=f"at most {QUICK_MESSAGES} messages in a case")
    parser.add_argument("--report", type=pathlib.Path, required=True)
    parser.add_argument("--agent", default="watchwise")
    parser.add_argument("--expect-unimplemented", action="store_true", help="pass if the server declines compression")
    options = parser.parse_args()

    make_python_3_fast()
    let_validator_take_text()
    import autobahntestsuite.case as cases
    import autobahntestsuite.case.case as case
    import autobahntestsuite.fuzzing as fuzzing

    adapt(fuzzing, case)
    if options.quick:
        lower_counts(cases.Cases)
    options.report.mkdir(parents=True, exist_ok=True)
    create = fuzzing.FuzzingFactory.__init__

    def remember(self, outdir):
        create(self, outdir)
        fuzzing.FuzzingFactory.current = self

    fuzzing.FuzzingFactory.__init__ = remember
    fuzzing.FuzzingFactory.current = None
    # The suite prints every case that it begins.
    with open(options.report / "progress.log", "w", 1, encoding="utf-8") as log, contextlib.redirect_stdout(log):
        results, wanted = run(options, fuzzing)
    failed = table(results, wanted, cases.CaseCategories, options.expect_unimplemented)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
