"""Manual pages, one for each command, made from the program's own help."""

import json
import time

import tree


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    text = "".join(letter if ord(letter) < 128 else f"\\[u{ord(letter):04X}]" for letter in text)
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.splitlines())


def names(argument):
    return ", ".join(("\\-\\-" if name["kind"] == "long" else "\\-") + escaped(name["name"]) for name in argument.get("names", []))


def described(text):
    """Paragraphs and examples: lines that are indented stay as they are."""
    out, literal = [], False
    for line in text.splitlines():
        if line.startswith("  ") != literal:
            literal = not literal
            out.append(".nf" if literal else ".fi")
        if line.isupper():
            out.append(f".SS {line}")
        else:
            out.append(escaped(line) if line.strip() else ".PP")
    return out + ([".fi"] if literal else [])


def page(words, command, version, date):
    name = "-".join(words)
    lines = [f'.TH {escaped(name.upper())} 1 "{date}" "WatchWise {version}" "User Commands"', ".SH NAME",
             f"{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.'))}", ".SH SYNOPSIS", f".B {escaped(' '.join(words))}"]
    shown = [argument for argument in command.get("arguments", []) if argument.get("shouldDisplay", True)]
    subcommands = [one for one in command.get("subcommands", []) if one.get("shouldDisplay", True) and one["commandName"] != "help"]
    lines.append("[\\fIoptions\\fR] " + " ".join(f"\\fI{escaped(one.get('valueName', ''))}\\fR" for one in shown if one["kind"] == "positional"))
    if subcommands:
        lines.append("\\fIcommand\\fR")
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", *described(command["discussion"])]
    if shown:
        lines.append(".SH OPTIONS")
        for argument in shown:
            value = f" \\fI{escaped(argument['valueName'])}\\fR" if argument["kind"] != "flag" and argument.get("valueName") else ""
            lines += [".TP", f"\\fB{names(argument)}\\fR{value}" if argument.get("names") else value.strip(), escaped(argument.get("abstract", ""))]
    if subcommands:
        lines.append(".SH COMMANDS")
        for one in subcommands:
            lines += [".TP", f"\\fB{escaped(one['commandName'])}\\fR", f"{escaped(one.get('abstract', ''))} See \\fB{escaped(name)}\\-{escaped(one['commandName'])}\\fR(1)."]
    return "\n".join(line for line in lines if line) + "\n"


def pages(program):
    """The text of each page, by the name of its file."""
    help_of_all = json.loads(tree.output(program.binary, "--experimental-dump-help"))["command"]
    date = time.strftime("%Y-%m-%d", time.gmtime(program.seconds))
    found = {}

    def add(words, command):
        found[f"{'-'.join(words)}.1"] = page(words, command, program.version, date)
        for one in command.get("subcommands", []):
            if one["commandName"] != "help":
                add([*words, one["commandName"]], one)

    add(["watchwise"], help_of_all)
    return found
