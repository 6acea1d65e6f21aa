"""Headless Firefox over Marionette: no driver, only the standard library."""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from browser import PageError

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver, section 11

# Firefox asks nobody on the internet, and shows notifications in windows of its own.
PREFERENCES = {
    "marionette.port": 0,
    "alerts.useSystemBackend": False,
    "permissions.default.desktop-notification": 1,
    "dom.push.connection.enabled": True,
    "dom.push.testing.allowInsecureServerURL": True,
    "network.proxy.type": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "app.update.enabled": False,
    "app.normandy.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.safebrowsing.update.enabled": False,
    "browser.region.network.url": "",
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.healthreport.uploadEnabled": False,
    "toolkit.telemetry.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "startup.homepage_welcome_url": "about:blank",
    "browser.startup.page": 0,
}

# The window of the notification with a text.
FIND_ALERT = """const find = text => [...Services.wm.getEnumerator("alert:alert")]
  .find(alert => alert.document.getElementById("alertTextLabel").textContent === text);
"""

DRAW_ALERT = FIND_ALERT + """const [text] = arguments;
return (async () => {
  while (!find(text)) await new Promise(done => Services.tm.dispatchToMainThread(done));
  const alert = find(text);
  const box = alert.document.getElementById("alertBox");
  while (Number(alert.getComputedStyle(box).opacity) < 1) await new Promise(done => alert.setTimeout(done, 20));
  const bitmap = await alert.browsingContext.currentWindowGlobal.drawSnapshot(
    new alert.DOMRect(0, 0, alert.innerWidth, alert.innerHeight), 2, "white");
  const canvas = alert.document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  return canvas.toDataURL();
})()"""

CLICK_ALERT = FIND_ALERT + """find(arguments[0]).document.getElementById("alertBox").click()"""


class Firefox:
    """A browser with one page."""

    def __init__(self, push_service, seconds=60):
        program = shutil.which("firefox-esr") or shutil.which("firefox")
        if program is None:
            raise PageError("firefox is not installed: run deploy/prepare --tests")
        self.profile = tempfile.mkdtemp(prefix="watchwise-firefox-")
        preferences = {**PREFERENCES, "dom.push.serverURL": push_service}
        with open(os.path.join(self.profile, "user.js"), "w") as file:
            for name, value in preferences.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", self.profile],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.profile, "MOZ_CRASHREPORTER_DISABLE": "1"})
        self.last_id = 0
        self.socket = socket.create_connection(("127.0.0.1", self._port(seconds)), timeout=seconds)
        self.file = self.socket.makefile("rb")
        self._read()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": 20_000}}})

    def _port(self, seconds):
        path = os.path.join(self.profile, "MarionetteActivePort")
        deadline = time.monotonic() + seconds
        while True:
            try:
                with open(path) as file:
                    return int(file.read())
            except (OSError, ValueError):  # not there yet, or not written yet
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise PageError(f"firefox did not start (exit {self.process.poll()})") from None
                time.sleep(0.05)

    def _read(self):
        size = b""
        while (byte := self.file.read(1)) not in (b":", b""):
            size += byte
        if not size:
            raise PageError("firefox has ended")
        return json.loads(self.file.read(int(size)))

    def call(self, name, **parameters):
        self.last_id += 1
        command = json.dumps([0, self.last_id, name, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(command), command))
        _, _, error, result = self._read()
        if error:
            raise PageError(f"{name}: {error['error']}: {error['message']}")
        return result

    def open(self, address):
        self.call("WebDriver:Navigate", url=address)

    def evaluate(self, expression):
        return self.call("WebDriver:ExecuteScript", script=f"return (async () => ({expression}))()", args=[],
                         newSandbox=False)["value"]

    def wait_for(self, expression, seconds=10):
        """Waits until the expression is true in the page, and returns its value."""
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

    def click(self, selector):
        """A click as a person makes it: a page may ask for permission only then."""
        self.wait_for(f"document.querySelector({json.dumps(selector)})?.hidden === false")
        element = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.call("WebDriver:ElementClick", id=element[ELEMENT])

    def chrome(self, script, *arguments):
        """Runs a script with the rights of the browser."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=list(arguments), newSandbox=True)["value"]
        finally:
            self.call("Marionette:SetContext", value="content")

    def alert_screenshot(self, text, path):
        """A picture of the notification with this text, which has a window of its own."""
        image = self.chrome(DRAW_ALERT, text)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image.partition(",")[2]))

    def click_alert(self, text):
        """A click on the notification with this text."""
        self.chrome(CLICK_ALERT, text)

    def bring_to_front(self):
        """The page gets the focus, which a notification's window may have."""
        self.chrome("""const window = Services.wm.getMostRecentWindow("navigator:browser");
          window.focus();
          window.gBrowser.selectedBrowser.focus();""")

    def wait_for_pages(self, count, seconds=10):
        deadline = time.monotonic() + seconds
        while len(self.call("WebDriver:GetWindowHandles")) != count:
            if time.monotonic() > deadline:
                raise PageError(f"there are not {count} pages within {seconds} s")
            time.sleep(0.05)

    def use_page(self, index):
        self.call("WebDriver:SwitchToWindow", handle=self.call("WebDriver:GetWindowHandles")[index])

    def close_page(self):
        self.call("WebDriver:CloseWindow")

    def close(self):
        try:
            self.call("Marionette:Quit", flags=["eForceQuit"])
            self.process.wait(timeout=10)
        except (PageError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.socket.close()
        shutil.rmtree(self.profile, ignore_errors=True)
