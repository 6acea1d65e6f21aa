"""axe, the checker of accessibility, over the pages of an application: at the widths of a phone and of a computer, light and
dark."""

import functools
import importlib.util
import json
import os
import pathlib

SIZES = (("phone", 390, 844), ("computer", 1280, 800))
SCHEMES = ("light", "dark")


@functools.cache
def axe():
    """The checker's source, which the package of PyPI contains."""
    package = importlib.util.find_spec("axe_playwright_python")
    return pathlib.Path(package.origin).with_name("axe.min.js").read_text()


def still(page, *features):
    """Ends movement, which would hide from axe and from a picture what is there afterwards. `features`: further ones to emulate."""
    page.call("Emulation.setEmulatedMedia", features=[*features, {"name": "prefers-reduced-motion", "value": "reduce"}])


def sized(page, sizes=SIZES):
    """Gives the page one size after another, and yields each when nothing stands out."""
    for size, width, height in sizes:
        page.resize(width, height)
        page.wait_for(f"innerWidth === {width} && document.documentElement.scrollWidth <= {width}")
        yield size, width


class Accessibility:
    """Opens each page once; sizes and schemes change under it."""

    def __init__(self, trial, address, name):
        self.trial, self.address, self.name = trial, address, name

    def check(self, *places, user=None, device=None):
        """A check for all places: each is what follows `#` in the address, and what must be on the page then."""
        self.trial.check(f"{self.name}: axe finds nothing on {len(places)} pages, at two widths, light and dark",
                         lambda: self.look(places, user, device))

    def look(self, places, user, device):
        query = "&".join(f"{name}={value}" for name, value in (("user", user), ("device", device)) if value)
        address = f"{self.address}?{query}" if query else self.address
        page = self.trial.browser.open(address, *SIZES[1][1:])
        page.wait_for("document.querySelector('h1') !== null", seconds=20)
        page.evaluate(axe())
        still(page)
        found = []
        for place, wanted in places:
            if place:
                page.evaluate(f"location.hash = {json.dumps(place)}")
            page.wait_for(f"document.querySelector({json.dumps(wanted)}) !== null", seconds=20)
            for size, _ in sized(page):
                page.wait_for("(main => main.scrollWidth <= main.clientWidth)(document.querySelector('main'))")
                for scheme in SCHEMES:
                    still(page, {"name": "prefers-color-scheme", "value": scheme})
                    found += [f"{place or 'panes'} {size} {scheme}: {one}" for one in self.violations(page)]
                    label = "-".join(("a11y", self.name, (place or "panes").replace("/", "-").replace("%2F", "-"), size, scheme))
                    page.screenshot(os.path.join(self.trial.folder, f"{label}.png"))
        assert not found, "\n        ".join(found)
        assert not page.errors, "; ".join(page.errors)
        self.trial.browser.call("Target.disposeBrowserContext", browserContextId=page.context)

    @classmethod
    def expect_nothing(cls, page, name):
        """axe finds nothing on a page that it has not seen yet, as it is now."""
        page.evaluate(axe() + "; 0")
        found = cls.violations(page)
        assert not found, f"{name}: " + "\n        ".join(found)

    @staticmethod
    def violations(page):
        """The findings on the page as it is now: the rule, its sentence, and the elements."""
        return page.evaluate(
            "axe.run(document, { iframes: false, resultTypes: ['violations'] }).then(({ violations }) => violations.map("
            "({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(node => node.target.join(' ')"
            " + ' ' + node.html.slice(0, 120) + ' ' + (node.any[0]?.message ?? '')).join(' | ')}`))")
