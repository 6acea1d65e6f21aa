"""The samples of the documentation that need a browser: each page is one module, and prints what it says (`// →`)."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.extend(str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("BrowserTests", "."))
from browser import Browser, PageError
from pages import Pages
from Trials import verdict
from Trials.server import Caller, Server

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def main(binary, folder):
    subprocess.run([binary, "sdk", f"{folder}/sdk"], check=True, stdout=subprocess.DEVNULL)
    pages = Pages(pathlib.Path(folder, "sdk"))
    config = pathlib.Path(folder, "config.json")
    config.write_text(json.dumps({"origins": [pages.origin]}))
    server = Server(binary, f"{folder}/data", "--config", str(config), "--push-contact", "mailto:a@example.org")
    server.start()
    for one, other in (("alice", "bob"), ("bob", "alice")):
        Caller(server, one).command(type="follow", topic=f"user:{other}")
    pages.routes["/token"] = lambda _: (server.token("alice"), "text/plain")
    browser = Browser()
    checks = verdict.Tap()
    for name in ("Tabs", "Push"):
        text = (ROOT / f"Sources/Device/WebLibrary/WebLibrary.docc/{name}.md").read_text()
        code = "\n".join(re.findall(r"^```js\n(.*?)^```$", text, re.M | re.S))
        wanted = re.findall(r"// → (.*)$", code, re.M)
        code = code.replace("./watchwise.js", "/sdk/watchwise.js").replace("https://chat.example.org", f"http://127.0.0.1:{server.port}")
        code = code.replace("https://app.example.org", pages.origin)
        pages.add(f"/{name}.js", f"window.printed = []; console.log = (...words) => printed.push(words.join(' '));\n{code}\nwindow.isOver = true;", "text/javascript")
        pages.add(f"/{name}", f'<!doctype html><meta charset="utf-8"><title>{name}</title><body><script type="module" src="/{name}.js"></script>', "text/html")
        page = browser.open(f"{pages.origin}/{name}")

        def prints():
            page.wait_for("window.isOver === true", seconds=20)
            printed = page.evaluate("printed")
            assert printed == wanted and wanted, f"printed {printed}, wanted {wanted}"
            assert not page.errors, page.errors

        checks.tries(f"the samples of {name}.md run and print what they say", prints, PageError)
    browser.close()
    Server.end_all()
    pages.close()
    checks.last_line()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="watchwise-sdk-pages-") as made:
        main(os.path.abspath(sys.argv[1]), made)
