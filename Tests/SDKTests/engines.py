"""One interface for three engines: tabs that share their storage, and JavaScript in them."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "BrowserTests"))
from browser import Browser, Page, PageError
from firefox import Firefox


class Tab:
    """A tab of an engine, which knows it by its handle."""

    def __init__(self, engine, handle):
        self.engine, self.handle = engine, handle

    def evaluate(self, expression):
        return self.engine.evaluate(self.handle, expression)

    def go(self, address):
        self.engine.go(self.handle, address)

    def close(self):
        self.engine.close_tab(self.handle)

    def wait_for(self, expression, seconds=15):
        deadline = time.monotonic() + seconds
        while True:
            try:
                value, problem = self.evaluate(expression), None
            except PageError as error:  # the page may be between two documents
                value, problem = None, error
            if value:
                return value
            if time.monotonic() > deadline:
                raise PageError(f"not within {seconds} s: {expression} ({problem or json.dumps(value)})")
            time.sleep(0.05)


class Chromium:
    name = "Chromium"

    def __init__(self):
        self.browser = Browser()

    def tab(self, address):
        target = self.browser.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.browser.pages[session] = Page(self.browser, session, None)
        page.target = target
        for domain in ("Page", "Runtime", "Log"):
            page.call(f"{domain}.enable")
        page.call("Page.navigate", url=address)
        return Tab(self, page)

    def go(self, page, address):
        page.call("Page.navigate", url=address)

    def evaluate(self, page, expression):
        return page.evaluate(expression)

    def close_tab(self, page):
        self.browser.call("Target.closeTarget", targetId=page.target)

    def close(self):
        self.browser.close()


class Gecko:
    name = "Firefox"

    def __init__(self):
        self.firefox = Firefox("ws://127.0.0.1:9/")

    def tab(self, address):
        self.firefox.use_page(0)  # the one in use may be closed
        handle = self.firefox.call("WebDriver:NewWindow", type="window")["handle"]
        self.go(handle, address)
        return Tab(self, handle)

    def use(self, handle):
        self.firefox.call("WebDriver:SwitchToWindow", handle=handle)

    def go(self, handle, address):
        self.use(handle)
        self.firefox.open(address)

    def evaluate(self, handle, expression):
        self.use(handle)
        return self.firefox.evaluate(expression)

    def close_tab(self, handle):
        self.use(handle)
        self.firefox.close_page()

    def close(self):
        self.firefox.close()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class WebKit:
    """WebKitGTK's small browser over its WebDriver, on a display that nobody sees."""

    name = "WebKitGTK"

    def __init__(self):
        for program in ("WebKitWebDriver", "Xvfb"):
            if shutil.which(program) is None:
                raise PageError(f"{program} is not installed: apt-get install webkit2gtk-driver xvfb")
        self.home = tempfile.mkdtemp(prefix="watchwise-webkit-")
        self.processes = []
        read, write = os.pipe()
        self.start("Xvfb", "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp", pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as file:
            display = file.readline().strip()
        self.port = free_port()
        environment = {**os.environ, "DISPLAY": f":{display}", "HOME": self.home, "XDG_RUNTIME_DIR": self.home, "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
                       "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}
        self.start("WebKitWebDriver", f"--port={self.port}", "--host=127.0.0.1", env=environment)
        deadline = time.monotonic() + 20
        while True:
            try:
                self.session = ""
                answer = self.call("POST", "", {"capabilities": {"alwaysMatch": {"timeouts": {"script": 20_000}}}})
                break
            except (OSError, PageError) as error:
                if time.monotonic() > deadline:
                    self.close()
                    raise PageError(f"WebKitWebDriver did not start: {error}") from None
                time.sleep(0.2)
        self.session = f"/{answer['sessionId']}"

    def start(self, *words, **more):
        self.processes.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                               start_new_session=True, **more))

    def call(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/session{self.session}{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise PageError(f"{value['error']}: {value['message']}") from None

    def tab(self, address):
        self.use(self.call("GET", "/window/handles")[0])  # the one in use may be closed
        handle = self.call("POST", "/window/new", {"type": "window"})["handle"]
        self.go(handle, address)
        return Tab(self, handle)

    def use(self, handle):
        self.call("POST", "/window", {"handle": handle})

    def go(self, handle, address):
        self.use(handle)
        self.call("POST", "/url", {"url": address})

    def evaluate(self, handle, expression):
        self.use(handle)
        script = f"""const done = arguments[arguments.length - 1];
            (async () => ({expression}))().then(value => done({{ value: value === undefined ? null : value }}), error => done({{ error: String(error && error.stack || error) }}))"""
        answer = self.call("POST", "/execute/async", {"script": script, "args": []})
        if "error" in answer:
            raise PageError(answer["error"])
        return answer["value"]

    def close_tab(self, handle):
        self.use(handle)
        self.call("DELETE", "/window")

    def close(self):
        if self.session:
            try:
                self.call("DELETE", "")
            except (OSError, PageError):
                pass
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


ENGINES = {"chromium": Chromium, "firefox": Gecko, "webkit": WebKit}
