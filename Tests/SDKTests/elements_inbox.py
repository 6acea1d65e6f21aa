"""<watchwise-inbox>: the bell, the inbox and the preferences."""

import time

from elements_stage import INBOX, ROWS, PageError, click, is_right, press, until


class Inbox:
    """Alice's bell."""

    def __init__(self, stage):
        self.stage = stage

    def run(self, checks):
        for what, work in (
                ("two lines of HTML show a bell with its count, which opens the inbox", self.bell),
                ("the bell and the inbox are used by the keyboard: opened, read, archived, closed", self.keys),
                ("what happens on the server is in the inbox at once, and those who hear the page hear it", self.live),
                ("a click opens what a notification is about: the page decides, else its address, and never a script", self.opens),
                ("the samples of the page about the elements run, and print what they say", self.samples),
                ("everything is marked as seen, and one is put off until tomorrow", self.marks),
                ("further notifications come when they are asked for", self.more),
                ("the preferences are shown and set", self.preferences),
                ("where the page says where the worker lies, there is a switch for pushes, which says that the browser refuses", self.pushes),
                ("without a server the inbox shows what was here last, and says so", self.offline),
                ("where nobody is signed in, the bell says so; after signing in, connect() begins", self.signed_out),
                ("after signing out the page of another person begins with nothing of the one before", self.another),
                ("what its author has forgotten is an error of the page", self.forgotten),
                ("an element that leaves the page ends its connection, and one that is moved keeps it", self.leaves),
                ("a page gives the small library that it has open, and the inbox works alike", self.small),
                ("all elements of a page share one connection", self.shared)):
            self.stage.clear("alice")
            checks.tries(what, work, PageError)

    def opened(self, more="", lang="en", lines=False, **size):
        """A page with the bell; with `lines` it is the two lines of Elements.md."""
        page = self.stage.open(self.stage.documented() if lines else self.stage.inbox("alice", more), lang, **size)
        page.wait_for(f"{INBOX}?.querySelector('.bell, .title') != null && document.querySelector('watchwise-inbox').state.name === 'live'")
        return page

    def bell(self):
        for title in ("First", "Second"):
            self.stage.notify("alice", title, body=f"About {title}", level="critical" if title == "First" else "active")
        page = self.opened(lines=True)
        page.wait_for(f"{INBOX}.querySelector('.count')?.textContent === '2'")
        assert page.evaluate(f"{INBOX}.querySelector('.bell').ariaLabel") == "Notifications, 2 new"
        click(page, INBOX, ".bell")
        page.wait_for(f"{ROWS}.map(one => one.querySelector('.open').textContent).join() === 'Second,First' && {INBOX}.querySelector('.panel').matches(':popover-open')")
        assert page.evaluate(f"{ROWS}[1].part.contains('critical') && {ROWS}[1].querySelector('.level').textContent") == "critical"
        is_right(page)
        page.close()

    def keys(self):
        for title in ("One", "Two", "Three"):
            self.stage.notify("alice", title)
        page = self.opened()
        page.wait_for(f"{INBOX}.querySelector('.count')?.textContent === '3'")
        press(page, "Tab", 9)
        assert page.evaluate(f"{INBOX}.activeElement?.className") == "icon bell", "the first stop is the bell"
        press(page, "Enter", 13)
        page.wait_for(f"{INBOX}.querySelector('.panel').matches(':popover-open') && {INBOX}.activeElement?.className === 'panel'")
        for _ in range(8):
            press(page, "Tab", 9)
            if page.evaluate(f"{INBOX}.activeElement?.className === 'open'"):
                break
        page.wait_for(f"{INBOX}.activeElement.textContent === 'Three'")
        press(page, "ArrowDown", 40)
        page.wait_for(f"{INBOX}.activeElement.textContent === 'Two'")
        press(page, "Delete", 46)
        page.wait_for(f"{ROWS}.length === 2 && {INBOX}.activeElement.textContent === 'One'")
        press(page, "Enter", 13)
        page.wait_for(f"{INBOX}.querySelector('.note.seen .open')?.textContent === 'One' && {INBOX}.querySelector('.count').textContent === '1'")
        press(page, "Escape", 27)
        page.wait_for(f"!{INBOX}.querySelector('.panel').matches(':popover-open') && {INBOX}.activeElement?.className === 'icon bell'")
        assert page.evaluate(f"{INBOX}.querySelector('.bell').ariaExpanded") == "false"
        is_right(page)
        page.close()

    def live(self):
        page = self.opened()
        page.evaluate("counts = []; document.addEventListener('watchwise-count', ({ detail }) => counts.push(detail.notifications))")
        click(page, INBOX, ".bell")
        page.wait_for(f"{INBOX}.querySelector('.nothing')?.textContent.startsWith('Nothing new')")
        self.stage.notify("alice", "Just now")
        page.wait_for(f"{ROWS}.length === 1 && {INBOX}.querySelector('.count')?.textContent === '1'")
        page.wait_for(f"{INBOX}.querySelector('[role=status]').textContent === 'Just now'")
        found = self.stage.people["alice"].ok(type="notifications")["notifications"]
        self.stage.people["alice"].ok(type="archive", ids=[one["id"] for one in found])
        page.wait_for(f"{ROWS}.length === 0 && !{INBOX}.querySelector('.count')")
        assert page.evaluate("counts") == [1, 0], page.evaluate("counts")
        is_right(page)
        page.close()

    def opens(self):
        for title, data in (("Wrong", {"url": "javascript:document.title='broken'"}), ("Here", {"url": "/elsewhere"})):
            self.stage.notify("alice", title, data=data)
        self.stage.pages.add("/elsewhere", "<!doctype html><title>Elsewhere</title>", "text/html")
        page = self.opened()
        page.evaluate("opened = []; stops = true; document.addEventListener('watchwise-open', event => { opened.push(event.detail.title); if (stops) event.preventDefault(); })")
        click(page, INBOX, ".bell")
        page.wait_for(f"{ROWS}.length === 2")
        for number in (0, 1):
            page.evaluate(f"{ROWS}[{number}].querySelector('.open').click()")
        page.evaluate(f"stops = false; {ROWS}[1].querySelector('.open').click()")
        page.wait_for(f"{INBOX}.querySelectorAll('.note.seen').length === 2")
        assert page.evaluate("[document.title, opened.join()]") == ["Elements", "Here,Wrong,Wrong"], page.evaluate("[document.title, opened.join()]")
        page.evaluate(f"{ROWS}[0].querySelector('.open').click()")
        page.wait_for("document.title === 'Elsewhere'")
        page.close()

    def samples(self):
        self.stage.notify("alice", "Your order has left", data={"url": "/elsewhere"})
        self.stage.pages.add("/sample.js", "window.printed = []; console.log = text => printed.push(text);\n" + self.stage.sample("js"), "text/javascript")
        self.stage.pages.add("/sample.css", self.stage.sample("css"), "text/css")
        page = self.stage.open(self.stage.documented() + '<script type="module" src="/sample.js"></script>', head='<link rel="stylesheet" href="/sample.css">')
        page.wait_for(f"{ROWS}.length === 1 && document.title === '(1) Shop'")
        assert page.evaluate(f"[getComputedStyle({INBOX}.querySelector('.gear')).color, getComputedStyle({INBOX}.querySelector('.title')).fontFamily].join()") == "rgb(140, 47, 57),Georgia, serif"
        page.color_scheme("dark")
        page.wait_for(f"getComputedStyle({INBOX}.querySelector('.gear')).color === 'rgb(240, 152, 156)'")
        click(page, INBOX, ".open")
        page.wait_for("printed.join() === 'Your order has left' && document.title === 'Shop'")
        is_right(page)
        page.close()

    def marks(self):
        for title in ("One", "Two"):
            self.stage.notify("alice", title)
        page = self.opened()
        click(page, INBOX, ".bell")
        page.wait_for(f"{ROWS}.length === 2")
        click(page, INBOX, ".seeAll")
        page.wait_for(f"{INBOX}.querySelectorAll('.note.seen').length === 2 && !{INBOX}.querySelector('.count') && !{INBOX}.querySelector('.seeAll')")
        click(page, INBOX, ".note button.clock")
        page.wait_for(f"{ROWS}.length === 1")
        self.stage.notify("alice", "Three")
        other = self.opened("seen-on-open")
        other.wait_for(f"{INBOX}.querySelector('.count')")
        click(other, INBOX, ".bell")
        other.wait_for(f"!{INBOX}.querySelector('.count')")
        for one in (page, other):
            is_right(one)
            one.close()

    def more(self):
        for number in range(40):
            self.stage.notify("alice", f"Number {number}")
        page = self.opened("inline")
        page.wait_for(f"{ROWS}.length === 30")
        click(page, INBOX, ".more")
        page.wait_for(f"{ROWS}.length === 40 && !{INBOX}.querySelector('.more')")
        is_right(page)
        page.close()

    def preferences(self):
        page = self.opened()
        click(page, INBOX, ".bell")
        click(page, INBOX, "button.gear")

        def read():
            return self.stage.people["alice"].ok(type="preferences")

        click(page, INBOX, "input[name=quiet]")
        page.wait_for(f"{INBOX}.querySelector('input[name=from]')?.value === '22:00'")
        page.evaluate(f"(field => {{ field.value = '21:30'; field.dispatchEvent(new Event('change')) }})({INBOX}.querySelector('input[name=from]'))")
        click(page, INBOX, "input[name=active]")
        click(page, INBOX, "input[name=muteAll]")
        until(lambda: read()["quietHours"] == {"from": "21:30", "to": "07:00"} and read()["mute"] == {"all": True}
              and read()["levels"] == ["time-sensitive", "critical"], read)
        self.stage.people["alice"].ok(type="preferences", set={"quietHours": None, "mute": {"all": None}, "levels": ["active", "time-sensitive", "critical"]})
        page.wait_for(f"{INBOX}.querySelector('input[name=from]') === null && {INBOX}.querySelector('input[name=active]').checked")
        click(page, INBOX, "button.back")
        page.wait_for(f"{INBOX}.querySelector('.nothing') && {INBOX}.activeElement?.className === 'icon gear'")
        is_right(page)
        page.close()

    def pushes(self):
        page = self.opened('worker="/watchwise-worker.js"')
        click(page, INBOX, ".bell")
        click(page, INBOX, "button.gear")
        page.wait_for(f"{INBOX}.querySelector('.push')?.textContent === 'Notify me also when the page is closed'")
        page.call("Browser.setPermission", permission={"name": "notifications"}, setting="denied", browserContextId=page.context)
        click(page, INBOX, ".push")
        page.wait_for(f"{INBOX}.querySelector('.push').disabled && {INBOX}.querySelector('.push').textContent === 'The browser blocks notifications of this page'")
        is_right(page)
        page.close()
        page = self.opened()
        click(page, INBOX, ".bell")
        click(page, INBOX, "button.gear")
        page.wait_for(f"{INBOX}.querySelector('input[name=quiet]') && !{INBOX}.querySelector('.push')")
        page.close()

    def offline(self):
        self.stage.notify("alice", "Kept")
        page = self.opened()
        click(page, INBOX, ".bell")
        page.wait_for(f"{ROWS}.length === 1")
        self.stage.server.kill()
        page.wait_for(f"{INBOX}.querySelector('.notice')?.textContent.startsWith('No connection')")
        assert page.evaluate(f"{ROWS}.length") == 1
        self.stage.server.start()
        for caller in (self.stage.operator, *self.stage.people.values()):
            caller.connection = None
        page.wait_for(f"!{INBOX}.querySelector('.notice')", seconds=20)
        page.close()

    def signed_out(self):
        page = self.stage.open(self.stage.inbox("nobody"))
        click(page, INBOX, ".bell")
        page.wait_for(f"{INBOX}.querySelector('.notice')?.textContent === 'You are not signed in.'")
        self.stage.notify("alice", "After signing in")
        token = self.stage.server.token("alice")
        self.stage.pages.add("/token/nobody", token, "text/plain")
        page.evaluate("document.querySelector('watchwise-inbox').connect()")
        page.wait_for(f"{ROWS}.length === 1 && !{INBOX}.querySelector('.notice')")
        self.stage.pages.add("/token/nobody", "null", "application/json")
        is_right(page)
        page.close()

    def another(self):
        elements = "document.querySelectorAll('watchwise-inbox, watchwise-chat')"
        self.stage.clear("bob")
        for user, title in (("alice", "For Alice"), ("bob", "For Bob")):
            self.stage.notify(user, title)
        self.stage.pages.add("/token/nobody", self.stage.server.token("alice"), "text/plain")
        page = self.stage.open(self.stage.inbox("nobody", "inline") * 2 + self.stage.chat("nobody", 'with="carol"'))
        page.wait_for("document.querySelector('watchwise-chat').shadowRoot?.querySelector('textarea') != null")
        titles = "[...document.querySelectorAll('watchwise-inbox')].map(one => one.shadowRoot.querySelector('.open')?.textContent).join()"
        page.wait_for(f"{titles} === 'For Alice,For Alice'")
        page.evaluate("element = document.querySelector('watchwise-inbox'); element.library.signOut({ force: true })")
        page.wait_for(f"{titles} === ',' && {INBOX}.querySelector('.notice')?.textContent === 'You are not signed in.' && {INBOX}.querySelector('.nothing').textContent === ''"
                      " && document.querySelector('watchwise-chat').shadowRoot.querySelector('textarea') === null")
        self.stage.pages.add("/token/nobody", self.stage.server.token("bob"), "text/plain")
        page.evaluate(f"for (const one of {elements}) one.connect()")
        page.wait_for(f"{titles} === 'For Bob,For Bob' && element.library.user === 'bob' && !{INBOX}.querySelector('.notice')")
        # Without signing out: the library does not mix two people.
        self.stage.pages.add("/token/nobody", self.stage.server.token("alice"), "text/plain")
        page.evaluate("element.library.disconnect().then(() => element.library.connect())")
        page.wait_for("element.library.state.name === 'blocked'")
        page.evaluate(f"for (const one of {elements}) one.connect()")
        page.wait_for(f"{titles} === 'For Alice,For Alice' && element.library.user === 'alice'")
        self.stage.pages.add("/token/nobody", "null", "application/json")
        is_right(page)
        page.close()

    def forgotten(self):
        for body, wanted in (('<watchwise-inbox token="/token/alice"></watchwise-inbox>', "<watchwise-inbox> needs the attributes server and token"),
                             (self.stage.chat("alice", ""), "<watchwise-chat> needs the attribute with")):
            page = self.stage.open(body)
            until(lambda page=page, wanted=wanted: any(wanted in one for one in page.errors), lambda page=page: page.errors)
            page.close()

    def leaves(self):
        page = self.opened()
        page.evaluate("element = document.querySelector('watchwise-inbox'); ww = element.library; document.body.append(element)")
        time.sleep(1.2)
        assert page.evaluate("ww.state.name === 'live' && element.library === ww"), "it was moved"
        page.evaluate("element.remove()")
        page.wait_for("ww.state.name === 'closed'")
        page.evaluate("document.body.append(element)")
        page.wait_for("element.library && element.library !== ww && element.library.state.name === 'live'")
        is_right(page)
        page.close()

    def small(self):
        self.stage.pages.add("/small.js", f"""
            import {{ WatchWise }} from "{self.stage.server.url}/v1/sdk/watchwise-live.js";
            const element = document.querySelector("watchwise-inbox");
            element.words = {{ inbox: "News" }};
            element.library = await WatchWise.open({{ server: "{self.stage.server.url}", token: async () => (await (await fetch("/token/alice")).json()).token }});
        """, "text/javascript")
        for number in range(31):
            self.stage.notify("alice", f"Number {number}")
        page = self.stage.open('<script type="module" src="/small.js"></script><watchwise-inbox></watchwise-inbox>')
        page.wait_for(f"{INBOX}?.querySelector('.bell')?.ariaLabel === 'News, 31 new'")
        click(page, INBOX, ".bell")
        page.wait_for(f"{ROWS}.length === 30")
        click(page, INBOX, ".more")
        page.wait_for(f"{ROWS}.length === 31")
        click(page, INBOX, ".note button.archive")
        page.wait_for(f"{ROWS}.length === 30 && {INBOX}.querySelector('.count').textContent === '30'")
        click(page, INBOX, "button.gear")
        click(page, INBOX, "input[name=muteAll]")
        until(lambda: self.stage.people["alice"].ok(type="preferences")["mute"] == {"all": True}, "muted")
        self.stage.people["alice"].ok(type="preferences", set={"mute": {"all": None}})
        page.wait_for(f"!{INBOX}.querySelector('input[name=muteAll]').checked")
        page.wait_for("!performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/watchwise.js'))")
        is_right(page)
        page.close()

    def shared(self):
        page = self.stage.open(self.stage.inbox("alice") + self.stage.inbox("alice", "inline") + self.stage.chat("alice", 'with="bob"'))
        elements = "[...document.querySelectorAll('watchwise-inbox, watchwise-chat')]"
        page.wait_for(f"{elements}.length === 3 && {elements}.every(one => one.library?.state.name === 'live')")
        assert page.evaluate(f"new Set({elements}.map(one => one.library)).size") == 1
        is_right(page)
        page.close()
