#!/usr/bin/env python3
"""A server without the rules of a provider, for tests of the HTTP client: what is asked for is the path alone.

A path is /ANSWER/NAME. ANSWER is a status, or an ending, which happens at the first request for that path; later ones
get 200:

    {endings}"""

from service import Answer, Ending, Request, Service, parser

ended: set[str] = set()


def answer(request: Request) -> Answer:
    what = request.path.split("/")[1]
    if what.isdigit():
        return Answer(int(what), [("content-type", "text/plain")], request.path.encode(), opens_streams=True)
    ending = next((ending for ending in Ending if ending.value == what), None)
    if ending is None:
        return Answer(404)
    is_first = request.path not in ended
    ended.add(request.path)
    return Answer(200, ending=ending if is_first else None, opens_streams=True)


def main() -> None:
    options = parser(__doc__.format(endings=", ".join(ending.value for ending in Ending)))
    options.add_argument("--first-streams", type=int, metavar="N",
                         help="streams on a connection before its first answer (default: as later)")
    options.add_argument("--only-1", action="store_true", help="speak HTTP/1.1 only")
    chosen = options.parse_args()
    protocols = ("http/1.1",) if chosen.only_1 else ("h2", "http/1.1")
    Service(answer, chosen, protocols=protocols, first_streams=chosen.first_streams).run()


if __name__ == "__main__":
    main()
