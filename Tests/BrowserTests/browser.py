"""Headless Chromium over the DevTools protocol on two pipes: no driver, no port, only the standard library."""

import base64
import fcntl
import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time


class PageError(Exception):
    """The page threw an error, or did not reach the expected state."""


class Browser:
    """profile: the folder of an earlier browser that was killed; it stays."""

    def __init__(self, profile=None):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if program is None:
            raise PageError("chromium is not installed: run deploy/prepare --tests")
        self.keeps_profile = profile is not None
        self.profile = profile or tempfile.mkdtemp(prefix="watchwise-browser-")
        to_browser = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe()]
        from_browser = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe()]
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_browser[0]} 4>&{from_browser[1]}', "bash", program,
             "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
             "--disable-renderer-backgrounding", "--disable-background-networking", "--disable-component-update",
             "--disable-extensions", "--no-proxy-server", "--lang=en-GB", f"--user-data-dir={self.profile}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_browser[0], from_browser[1]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser[0])
        os.close(from_browser[1])
        self.commands = to_browser[1]
        self.answers = os.fdopen(from_browser[0], "rb")
        self.last_id = 0
        self.waiting = {}
        self.pages = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        buffer = b""
        while chunk := self.answers.read1(1 << 16):
            *messages, buffer = (buffer + chunk).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.waiting.pop(message["id"]).put(message)
                elif message.get("sessionId") in self.pages:
                    self.pages[message["sessionId"]].note(message)

    def call(self, method, session=None, **parameters):
        self.last_id += 1
        answer = self.waiting[self.last_id] = queue.Queue()
        command = {"id": self.last_id, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        try:
            message = answer.get(timeout=30)
        except queue.Empty:
            raise PageError(f"{method}: no answer from the browser") from None
        if "error" in message:
            raise PageError(f"{method}: {message['error']['message']}")
        return message["result"]

    def open(self, address, width=640, height=760):
        """A page of a person's own: it shares no storage with the other pages."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context, width=width,
                           height=height)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, context)
        for domain in ("Page", "Runtime", "Log"):
            page.call(f"{domain}.enable")
        page.resize(width, height)
        page.call("Page.navigate", url=address)
        return page

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(timeout=10)
        except (PageError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        if not self.keeps_profile:
            shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    def __init__(self, browser, session, context):
        self.browser = browser
        self.session = session
        self.context = context
        self.errors = []
        self.workers = {}  # the id of each service worker's registration, by its scope

    def note(self, message):
        if message["method"] == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif message["method"] == "Log.entryAdded":
            entry = message["params"]["entry"]
            # Network errors while the server is down are expected in this test.
            if entry["level"] == "error" and "net::ERR_" not in entry["text"]:
                self.errors.append(entry["text"])
        elif message["method"] == "ServiceWorker.workerRegistrationUpdated":
            for registration in message["params"]["registrations"]:
                self.workers[registration["scopeURL"]] = registration["registrationId"]

    def call(self, method, **parameters):
        return self.browser.call(method, session=self.session, **parameters)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def wait_for(self, expression, seconds=10):
        """Waits until the expression is true in the page, and returns its value."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = self.evaluate(expression)
            except PageError as error:  # the page may be between two documents
                value, problem = None, str(error).split("\n")[0]
            else:
                problem = f"is {json.dumps(value)}"
            if value:
                return value
            if time.monotonic() > deadline:
                raise PageError(f"not within {seconds} s: {expression} ({problem})")
            time.sleep(0.05)

    def click(self, selector):
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def type(self, selector, text):
        self.wait_for(f"document.querySelector({json.dumps(selector)}) !== null")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)

    def press(self, key, code, alt=False):
        text = {"text": "\r"} if key == "Enter" else {"modifiers": 1} if alt else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def color_scheme(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        """Its context and all that it has stored go with it."""
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def screenshot(self, path):
        image = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))
