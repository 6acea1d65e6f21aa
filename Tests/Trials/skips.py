"""What a trial says that could prove nothing on this machine. It has failed, unless --allow-skips is given.

A shell script calls it as a program: skips.py REASON ARGUMENTS…, where the arguments are its own.
"""

import sys

OPTION = "--allow-skips"


def add_option(parser):
    parser.add_argument(OPTION, action="store_true", help="what this machine cannot do counts as nothing, not as a failure")


def nothing_proved(reason, is_allowed):
    """Prints the reason and the sum. Returns the exit status."""
    print(f"skipped: {reason}")
    if not is_allowed:
        print(f"nothing was proved, which counts as a failure; with {OPTION} it does not")
    print(f"0 passed, {0 if is_allowed else 1} failed")
    return 0 if is_allowed else 1


if __name__ == "__main__":
    sys.exit(nothing_proved(sys.argv[1], OPTION in sys.argv[2:]))
