"""Debian's chromium driven by its chromedriver: pages measured at a width and in a scheme, and pictured."""

import base64
import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request

from support.processes.waiting import until

PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "chromium-driver": ("chromedriver",),
}
"""Debian's packages, and what their programs may be called."""
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_STARTED = re.compile(r"started successfully on port (\d+)")
_ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip


def find_program(package):
    return next((path for name in PROGRAMS[package] if (path := shutil.which(name))), None)


def missing_programs():
    """A sentence about what is not installed; empty where a browser can be started."""
    lost = [package for package in PROGRAMS if find_program(package) is None]
    return f"there is no {' and no '.join(lost)} here (Debian: apt-get install {' '.join(lost)})" if lost else ""


class Browser:
    """A session with an empty profile in `folder`; ends with `close`."""

    def __init__(self, folder):
        self._folder = folder
        self._driver = subprocess.Popen(
            [find_program("chromium-driver"), "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            said = []
            while not (found := _STARTED.search(line := self._driver.stdout.readline())):
                said.append(line)
                assert line, f"chromedriver does not start: {''.join(said)}"
            self._base = f"http://127.0.0.1:{found[1]}/session"
            arguments = [*_ARGUMENTS, f"--user-data-dir={folder / 'profile'}"]
            options = {"binary": find_program("chromium"), "args": arguments}
            wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}}
            self._base += "/" + self._call("POST", "", wanted)["sessionId"]
        except BaseException:
            self._stop()
            raise

    def close(self):
        try:
            self._call("DELETE", "")
        finally:
            self._stop()

    def _stop(self):
        self._driver.terminate()
        self._driver.wait(timeout=60)
        self._driver.stdout.close()

    def show(self, text, width, *, dark):
        """Open a page that has this HTML text."""
        (self._folder / "page.html").write_text(text, encoding="utf-8")
        self.open((self._folder / "page.html").as_uri(), width, dark=dark)

    def open(self, url, width, *, dark=False):
        """Open a page by its address."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._command(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        self._command("Emulation.setEmulatedMedia", media="", features=[scheme])
        self._call("POST", "/url", {"url": url})

    def click(self, selector):
        self._call("POST", f"/element/{self._element(selector)}/click", {})

    def type(self, selector, text):
        """Type into the first element that the selector finds, as a person does."""
        self._call("POST", f"/element/{self._element(selector)}/value", {"text": text})

    def text(self, selector):
        return self.measure(f"return document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    def until(self, script):
        """Wait until an expression is true in the page; what it is then."""
        found = []
        until(lambda: found.append(self.measure(f"return {script}")) or found[-1])
        return found[-1]

    def _element(self, selector):
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def measure(self, script):
        """What a script returns that runs in the page."""
        return self._call("POST", "/execute/sync", {"script": script, "args": []})

    def picture(self, width):
        """The bytes of a PNG of the whole page."""
        height = self._command("Page.getLayoutMetrics")["cssContentSize"]["height"]
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        found = self._command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(found["data"])

    def _command(self, name, **settings):
        return self._call("POST", "/goog/cdp/execute", {"cmd": name, "params": settings})

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with _DIRECT.open(request, timeout=240) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None
