"""The rules: a command, a call, an event, a setting, a metric and a page stand at all places where somebody looks for them. Each rule
gives a sentence for a place that is missing, with the path of the file. Tables have rules of their own in tables.py."""

import re

import exceptions

COMMANDS = "Sources/Words/ClientProtocol/Commands/"
CONTRACT = "Sources/Words/ClientProtocol/"
ADMIN = "Sources/Doors/Admin/"


def literal(text):
    """The value of a Swift literal over one or several lines, without interpolations."""
    if text.startswith('"""'):
        lines = text[3:-3].strip("\n").split("\n")
        indent = len(lines[-1]) - len(lines[-1].lstrip())
        lines = [line[indent:] if line.strip() else "" for line in lines]
        return re.sub(r"\\\n", "", "\n".join(line for line in lines)).strip()
    return text[1:-1].replace('\\"', '"')


def commands(tree):
    """Types of commands, with their files, by their names on the wire."""
    found = {}
    for path, text in tree.texts(COMMANDS, ".swift").items():
        kind, name = re.search(r"(\w+): Command \{", text), re.search(r'static let name = "([\w.]+)"', text)
        if kind and name:
            found[name[1]] = (kind[1], path)
    return found


def bodies(kind, text):
    """What stands in a type and in its extensions."""
    return re.findall(rf"^(?:package )?(?:struct|enum|extension) {kind}\b[^\n]*\{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)


def sections(page):
    return [name for line in re.findall(r"^### (.+)$", page, re.MULTILINE) for name in line.split(", ")]


def word_of(name, text):
    """The function of watchwise.js in which a command is made."""
    at = re.search(rf'type: "{re.escape(name)}"|"{re.escape(name)}"', text)
    if at is None:
        return None
    before = re.findall(r"^ +(?:async )?(?:get )?(\w+)(?:\(|: (?:async )?\()", text[:at.end()], re.MULTILINE)
    return before[-1] if before else None


def command_places(tree):
    found = commands(tree)
    table, types = tree.text(COMMANDS + "CommandTable.swift"), "\n".join(tree.texts(COMMANDS, ".swift").values())
    page = sections(tree.text(CONTRACT + "ClientProtocol.docc/Commands.md"))
    works = "\n".join(tree.texts("Sources/Subjects/", ".swift").values())
    vocabulary = "Tests/Words/ClientProtocolTests/Vocabulary.swift"
    story, rights = "Tests/Programs/ServerTests/EveryCommandTests.swift", "Tests/Programs/ServerTests/RightsMatrixTests.swift"
    library = "Sources/Device/WebLibrary/Files/"
    scripts, signatures = tree.texts(library, ".js"), tree.text(library + "watchwise.d.ts")
    swift = "\n".join(text for folder in ("WatchWise/", "Session/", "Client/")
                      for text in tree.texts("Sources/Device/" + folder, ".swift").values())
    for name, (kind, path) in found.items():
        if not re.search(rf"\b{kind}\.self", table):
            yield f"the command {name} has no line in {COMMANDS}CommandTable.swift: add {kind}.self"
        if not any(re.search(r"^    package static let form = CommandForm\(", body, re.MULTILINE) for body in bodies(kind, types)):
            yield f"the command {name} has no form in {path}: add 'package static let form = CommandForm(…)' beside the decoder"
        if name not in page:
            yield f"the command {name} has no section in {CONTRACT}ClientProtocol.docc/Commands.md: add '### {name}'"
        if not re.search(rf"extension {kind}: AnsweredCommand\b", works) and name not in exceptions.COMMANDS_OF_LOOPS:
            yield f"the command {name} has no use case in Sources/Subjects/: extend {kind} as an AnsweredCommand"
        if not re.search(rf'"type": "{re.escape(name)}"', tree.text(vocabulary)):
            yield f"the command {name} has no example in {vocabulary}: add a CommandRow"
        if not re.search(rf'"{re.escape(name)}"', tree.text(story)):
            yield f"the command {name} is not used in {story}: use it on a device, with its events"
        if not re.search(rf'Row\(\s*"{re.escape(name)}[" ]', tree.text(rights)):
            yield f"the command {name} has no row in {rights}: say for each role what it may"
        if name not in exceptions.WITHOUT_SCRIPT_WORD:
            if not any(f'"{name}"' in text for text in scripts.values()):
                yield f"the command {name} has no word in {library}watchwise.js: add a function that makes it"
            elif f'"{name}"' in scripts.get(library + "watchwise.js", ""):
                word = word_of(name, scripts[library + "watchwise.js"])
                if word and not re.search(rf"\b{word}\b", signatures):
                    yield f"the word {word} for the command {name} has no type in {library}watchwise.d.ts: add it"
        if name not in exceptions.WITHOUT_SWIFT_WORD and f'"{name}"' not in swift:
            yield f"the command {name} has no word in Sources/Device/WatchWise/Words/: add a function that makes it"
    for name in exceptions.WITHOUT_SCRIPT_WORD:
        if any(f'type: "{name}"' in text for text in scripts.values()):
            yield f"{name} has a word in {library} now: take it out of Tests/PlaceTests/exceptions.py"
    for name in exceptions.WITHOUT_SWIFT_WORD:
        if re.search(rf'(?:request|keep)\("{re.escape(name)}"', swift):
            yield f"{name} has a word in Sources/Device now: take it out of Tests/PlaceTests/exceptions.py"


def routes(tree):
    """Method, template, action, whether it has a form, and file of each call of the admin API."""
    head = re.compile(r'AdminRoute(?=\(\s*"(\w+)",\s*"([^"]+)",\s*\.\w+,\s*"([^"]+)")')
    return [(*found.groups(), re.search(r"\bform: RouteForm\(", arguments(text, found.end())) is not None, path)
            for path, text in tree.texts(ADMIN, ".swift").items() for found in head.finditer(text)]


def arguments(text, start):
    """What stands between a parenthesis and the one that closes it."""
    depth = 0
    for part in re.compile(rf"{TEXT}|[()]").finditer(text, start):
        depth += {"(": 1, ")": -1}.get(part[0], 0)
        if depth == 0:
            return text[start:part.end()]
    return ""


def call_places(tree):
    table = tree.text(ADMIN + "Requests/RouteTable.swift")
    page_path, handed = ADMIN + "Admin.docc/HTTPInterface.md", "Tests/Programs/ServerTests/HandedRoutesTests.swift"
    names = r"(?<=/)(?:[A-Z][A-Z_]*|\{[^}]+\})(?=[/?`\s]|$)"
    page = re.sub(r"`[^`\n]*`", lambda code: re.sub(names, "*", code[0]), tree.text(page_path))
    for path, text in tree.texts(ADMIN + "Routes/", "Routes.swift").items():
        kind = re.search(r"enum (\w+Routes) \{", text)
        if kind and f"{kind[1]}.all" not in table:
            yield f"the calls of {path} are not in {ADMIN}Requests/RouteTable.swift: add {kind[1]}.all"
    for method, template, action, has_form, path in routes(tree):
        pattern = "/v1/" + re.sub(r"\{[^}]*\}", "*", template)
        if not re.search(rf"\b{method}\b[^|\n]*{re.escape(pattern)}(?=[`?\s])", page):
            yield f"the call {method} /v1/{template} has no row in {page_path}: add what it takes and answers"
        if not has_form:
            yield f"the call {method} /v1/{template} has no form in {path}: add 'form: RouteForm(…)' to its AdminRoute"
        if method != "GET" and action not in exceptions.NOT_HANDED:
            target = "/v1/" + re.sub(r"\\\{[^}]*\\\}", "[^\"]+?", re.escape(template))
            if not re.search(rf'"{method}", "{target}[?"]', tree.text(handed)):
                yield f"the call {method} /v1/{template} is not in {handed}: add a Write, or say why the leader does not get it"
    for action in exceptions.NOT_HANDED:
        if action not in [route[2] for route in routes(tree)]:
            yield f"there is no call {action} any more: take it out of Tests/PlaceTests/exceptions.py"


def events(tree):
    """The names of events on the wire, by their cases."""
    text = tree.text("Sources/Words/Model/EventName.swift").split("package var isDurable")[0]
    found = {}
    for line in re.findall(r"^    case (.+)$", text, re.MULTILINE):
        given = re.fullmatch(r'(\w+) = "([^"]+)"', line)
        found.update({given[1]: given[2]} if given else {name: name for name in line.split(", ")})
    return found


def event_places(tree):
    forms, page_path = CONTRACT + "Description/EventForms.swift", CONTRACT + "ClientProtocol.docc/Events.md"
    page, examples = tree.text(page_path), "Tests/Words/ClientProtocolTests/EventTests.swift"
    shown = "Sources/Programs/watchwise/Listening/EventLine.swift"
    session = "Sources/Device/WebLibrary/Files/session.js"
    durable = tree.text("Sources/Words/Model/EventName.swift").split("package var isDurable")[1].split(":\n            true")[0]
    kinds = re.search(r"^\| durable \| ephemeral \|\n.*\n(.+)$", page, re.MULTILINE)
    makers = "\n".join(tree.texts(CONTRACT + "Events/", ".swift").values())
    for case, name in events(tree).items():
        if name in exceptions.EVENTS_NOT_SENT:
            continue
        ephemeral = not re.search(rf"\.{case}\b", durable)
        if not re.search(rf"\.{case}\b", tree.text(forms)):
            yield f"the event {name} has no form in {forms}: add its members"
        if not re.search(rf"\.{case}\b", makers):
            yield f"the event {name} is made nowhere in {CONTRACT}Events/: add a function of Event"
        if name not in sections(page):
            yield f"the event {name} has no section in {page_path}: add '### {name}' with its members and an example"
        if not kinds or f"`{name}`" not in kinds[1]:
            yield f"the event {name} is not in the table of kinds in {page_path}: is it durable or ephemeral?"
        if ephemeral and f'"{name}"' not in tree.text(session):
            yield f"the event {name} is ephemeral, and {session} counts it as durable: add it to EPHEMERAL"
        if not re.search(rf"\.{case}\b", tree.text(shown)):
            yield f"the event {name} is not shown by 'watchwise listen': add its line to {shown}"
        if not re.search(rf"\.{case}\b", tree.text(examples)):
            yield f"the event {name} has no example in {examples}: add its bytes"


def settings(tree):
    text = "\n".join(tree.texts("Sources/Threads/Configuration/", ".swift").values())
    return re.findall(r'\bSetting\(\s*"([\w-]+)"', text)


def setting_places(tree):
    page = tree.text("deploy/README.md")
    trials = "\n".join(tree.texts("Tests/Threads/ConfigurationTests/", ".swift").values())
    for key in settings(tree):
        variable = "WATCHWISE_" + key.upper().replace("-", "_")
        if f"| `{variable}` | `{key}` |" not in page:
            yield f"the setting {key} has no row in deploy/README.md: print the table with 'watchwise settings --markdown'"
        if f'"{key}"' not in trials and key not in exceptions.TRIED_ELSEWHERE:
            yield f"no test gives the setting {key} a value: add a SettingTrial to Tests/Threads/ConfigurationTests/ConfigurationLayersTests.swift"
    groups = re.search(r"let groups: \[[^\]]*\] = \[(.*?)\n    \]", tree.text(
        "Sources/Threads/Configuration/ServerConfiguration.swift"), re.DOTALL)
    for path, text in tree.texts("Sources/Threads/Configuration/", ".swift").items():
        for kind in re.findall(r"enum (\w+): SettingGroup\b", text):
            if (not groups or f"{kind}.self" not in groups[1]) and kind not in exceptions.GROUPS_ELSEWHERE:
                yield f"the group {kind} of {path} is not in groups of Sources/Threads/Configuration/ServerConfiguration.swift: add it"


TEXT = r'("""(?:.|\n)*?"""|"(?:[^"\\\n]|\\.)*")'


def metrics(tree):
    """Names with kind, labels and meaning, and where each is declared and by which property."""
    found = {}
    sources = tree.texts("Sources/Threads/Telemetry/", ".swift") | tree.texts(ADMIN + "Routes/ServerStatistics.swift", ".swift")
    for path, text in sources.items():
        for made in re.finditer(rf"(?:let (\w+) = )?\bMetric\(\s*(counter|gauge): {TEXT},\s*{TEXT}\s*\)", text):
            found[literal(made[3])] = (made[2], "", literal(made[4]), path, made[1])
        for made in re.finditer(rf"(?:let (\w+) = )?MetricHistogram\(\s*{TEXT},\s*(?:\.\w+, )?bounds: (?:\w+|\[[^\]]*\]),\s*{TEXT}\s*\)", text):
            found[literal(made[2])] = ("histogram", "", literal(made[3]), path, made[1])
        for made in re.finditer(
                rf"(?:let (\w+) = )?LabelledMetric\(\s*\.(\w+), {TEXT}, labels: \[([^\]]*)\],(?: known: \w+,)?\s*{TEXT}\s*\)", text):
            found[literal(made[3])] = (made[2], made[4].replace('"', ""), literal(made[5]), path, made[1])
        for made in re.finditer(rf'\(\s*("[a-z_]+"), (true|false),\s*{TEXT},', text):
            found[literal(made[1])] = ("counter" if made[2] == "true" else "gauge", "", literal(made[3]), path, None)
        for made in re.finditer(rf"MetricFamily\(\s*\.(\w+), {TEXT}, {TEXT},(.*?)\)\)?,?\n", text, re.DOTALL):
            found[literal(made[2])] = (made[1], exceptions.LABELS.get(literal(made[2]), ""), literal(made[3]), path, None)
        for made in re.finditer(rf"\bSelf\.common\(\s*\.(\w+), {TEXT}, {TEXT},", text):
            found[literal(made[2])] = (made[1], "", literal(made[3]), path, None)
    refusals = tree.text("Sources/Threads/Quotas/PeerRefusal.swift")
    words = dict(re.findall(r"case \.(\w+): \"(\w+)\"$", refusals, re.MULTILINE))
    for case, word in words.items():
        meaning = re.search(rf"var help: String.*?case \.{case}:\s*{TEXT}", refusals, re.DOTALL)
        found[f"refused_{word}_total"] = ("counter", "", literal(meaning[1]) if meaning else "", "", None)
    return {re.sub("_(milli|micro)seconds", "_seconds", name): facts for name, facts in found.items()}


def metric_row(name, kind, labels, meaning):
    shown = ("" if name.startswith("process_") else "watchwise_") + name + (f"{{{labels}}}" if labels else "")
    return f"| `{shown}` | {kind} | {meaning} |"


def metric_places(tree):
    page = tree.text("deploy/Metrics.md")
    found = metrics(tree)
    for name, (kind, labels, meaning, path, used) in sorted(found.items()):
        row = metric_row(name, kind, labels, meaning)
        if row not in page:
            yield f"the metric {name} has no row in deploy/Metrics.md, or another one: Tests/PlaceTests/run --metrics prints it: {row}"
        if used:
            shown = "\n".join(tree.texts("Sources/Threads/Telemetry/", ".swift").values())
            shown += tree.text(ADMIN + "Routes/ServerStatistics.swift")
            if not re.search(rf"\b{used}(?:\.row|\.family|[,\]])", shown):
                yield f"the metric {name} is not shown: add {used} to the list in {path}"
    for name in re.findall(r"^\| `(?:watchwise_)?(\w+)", page, re.MULTILINE):
        if name not in found:
            yield f"there is no metric {name} any more: take its row out of deploy/Metrics.md"


def page_places(tree):
    """Each page is reached by links from the README, and each page of a catalog from the catalog's first page."""
    pages = {path for folder in ("Sources/", "Load/", "deploy/") for path in tree.files(folder, ".md")}
    pages |= {path for path in tree.files("", ".md") if "/" not in path} | {"Tests/README.md"}
    for path in sorted(pages):
        folder, _, name = path.rpartition("/")
        if not folder.endswith(".docc"):
            continue
        first = folder.rpartition("/")[2].removesuffix(".docc") + ".md"
        if name != first and f"- <doc:{name.removesuffix('.md')}>" not in tree.text(f"{folder}/{first}"):
            yield f"the page {path} is not listed in {folder}/{first}: add '- <doc:{name.removesuffix('.md')}>' to its topics"
    reached, next_ones = set(), ["README.md"]
    while next_ones:
        path = next_ones.pop()
        if path in reached or path not in pages:
            continue
        reached.add(path)
        folder, text = path.rpartition("/")[0], tree.text(path)
        for link in re.findall(r"\]\(([^):#\s]+\.md)", text):
            next_ones.append(normal(f"{folder}/{link}" if folder else link))
        next_ones += [f"{folder}/{name}.md" for name in re.findall(r"<doc:([\w+-]+)>", text)]
        if folder.endswith(".docc"):
            next_ones.append(f"{folder}/{folder.rpartition('/')[2].removesuffix('.docc')}.md")
    for path in sorted(pages - reached):
        yield f"no link leads from the README to {path}: link it from the page on which somebody looks for it"


def normal(path):
    parts = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
