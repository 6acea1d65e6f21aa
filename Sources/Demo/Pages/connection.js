"use strict";
// What the demo's pages have in common: one user's session over GET /v1/ws, which knows the contract and nothing of a
// page, and the means by which text enters a page: only as text.

const $ = id => document.getElementById(id);
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, "0")).join("");
const ephemeral = new Set(["live", "reset", "beat", "bye", "typing", "presence", "expiring", "drain"]);

/**
 * A session of `user`. What must survive a reload is kept under `place`: which device this is, how far it has read, and
 * the writes not yet answered. The page says how it takes what comes: began, welcomed, changed, reset, live, take.
 */
function makeConnection(user, page, place = "watchwise:" + user, device = "web-" + newKey()) {
  let saved = { device, since: null, outbox: [] };
  try { saved = JSON.parse(sessionStorage.getItem(place)) ?? saved; } catch { /* begin anew */ }
  function save() {
    try { sessionStorage.setItem(place, JSON.stringify(saved)); } catch { /* it stays in memory */ }
  }

  return {
    state: "connecting", attempts: 0, lastID: 0, waiting: new Map(), saved, save,

    enter(state, until) {
      Object.assign(this, { state, until });
      page.changed(state);
    },

    async authenticate() {
      const answer = await fetch("demo/session?user=" + encodeURIComponent(user));
      if (!answer.ok) throw new Error(answer.status);
      const session = await answer.json();
      this.token = session.token;
      page.began(session);
    },

    async open() {
      clearTimeout(this.timer);
      if (this.socket || this.opening) return;
      this.enter("connecting");
      this.opening = true;
      try { if (!this.token) await this.authenticate(); } catch { return this.retry(); } finally { this.opening = false; }
      const socket = this.socket = new WebSocket(new URL("v1/ws", location.href).href.replace(/^http/, "ws"), "watchwise.v1");
      Object.assign(this, { durable: 0, isReset: false, bye: undefined, heartbeat: undefined, heard: Date.now() });
      socket.onopen = () => this.hello(saved.since);
      socket.onmessage = ({ data }) => socket === this.socket && this.receive(JSON.parse(data));
      socket.onclose = ({ code }) => socket === this.socket && this.lost(code);
    },

    async hello(since) {
      try {
        const ok = await this.request({ type: "hello", token: this.token, device: saved.device, locale: page.locale.slice(0, 2), client: "demo/1", ...(since && { since }) });
        Object.assign(this, { epoch: ok.epoch, heartbeat: ok.heartbeat });
        page.welcomed(ok);
      } catch (error) {
        this.bye = error.retryAfterMs;
        this.lost({ permanent: 4400, auth: 4401 }[error.class]);
      }
    },

    /** Resolves with `ok`; rejects with the contract's error. */
    request(command) {
      return new Promise((resolve, reject) => {
        if (this.socket?.readyState !== WebSocket.OPEN) return reject({ class: "retry" });
        const id = ++this.lastID;
        this.waiting.set(id, { resolve, reject });
        this.socket.send(JSON.stringify({ id, ...command }));
      });
    },

    /** Without an id there is no reply: for what may be lost. */
    tell(command) {
      if (this.state === "connected") this.socket.send(JSON.stringify(command));
    },

    receive(message) {
      this.heard = Date.now();
      const { re, ok, error, type, seq, key } = message;
      if (re !== undefined) {
        const asked = this.waiting.get(re);
        this.waiting.delete(re);
        return error ? asked?.reject(error) : asked?.resolve(ok);
      }
      if (type === "bye") this.bye = message.reconnectInMs;
      else if (type === "expiring") this.authenticate().then(() => this.hello(), () => {});
      else if (type === "beat") {
        if (message.events !== this.durable) this.lost();  // something is missing: resume
        else if (this.state === "connected") this.advance(seq);
      } else if (type === "reset") {
        this.isReset = true;  // what the device has stays what it was until live, should the connection break before
        page.reset();
      } else if (type === "live") {
        if (this.isReset) saved.since = null;
        this.isReset = false;
        this.advance(seq);
        this.attempts = 0;
        this.enter("connected");
        page.live();
      } else if (!ephemeral.has(type) && Number.isInteger(seq)) {
        this.durable += 1;
        if (key) this.settle(key);
        page.take(message);
        this.advance(seq);
        page.moved();
      } else page.take(message);
    },

    advance(seq) {
      const { epoch } = this;
      saved.since = { epoch, seq: Math.max(seq, saved.since?.epoch === epoch ? saved.since.seq : 0) };
      save();
    },

    settle(key) {
      saved.outbox = saved.outbox.filter(entry => entry.key !== key);
      save();
    },

    lost(code) {
      const { socket } = this;
      if (!socket) return;
      this.socket = undefined;
      socket.close();
      for (const { reject } of this.waiting.values()) reject({ class: "retry" });
      this.waiting.clear();
      if (code === 4401) this.token = undefined;  // with a new one the next attempt is not the same
      else if (code >= 4400 && code < 4500) return this.enter(code === 4409 ? "replaced" : "closed");
      this.retry();
    },

    /** After the delay that the server announced, or a doubling one; the jitter keeps the clients apart. */
    retry() {
      const ceiling = Math.min(30000, 500 * 2 ** this.attempts++);
      const delay = this.bye === undefined ? ceiling * (0.5 + Math.random() / 2) : this.bye + Math.random() * 500;
      this.bye = undefined;
      this.enter("waiting", Date.now() + delay);
      this.timer = setTimeout(() => this.open(), delay);
    },

    tick() {
      if (this.socket && Date.now() - this.heard > 2.5 * (this.heartbeat ?? 8000)) this.lost();
      page.changed(this.state);
    },
  };
}

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function tint(made, id) {
  made.style.setProperty("--hue", [...id].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 9973, 7) * 137 % 360);
  made.setAttribute("aria-hidden", "true");
  return made;
}

function moment(at, locale) {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(locale, { hour: "2-digit", minute: "2-digit", ...(!isToday && { day: "numeric", month: "short" }) });
}

/** Puts the rows in place if they differ from those that are there; the focus stays on its row. */
function fill(list, rows) {
  const fresh = rows.map(row => row.outerHTML).join("");
  if (list.drawn === fresh) return;
  list.drawn = fresh;
  const focused = list.contains(document.activeElement) && document.activeElement.dataset.id;
  list.replaceChildren(...rows);
  if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}

function write(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

/** What this is and what to try, above two users side by side, each in a page of his own. */
async function showPanes(describe) {
  const stage = await (await fetch("demo/stage")).json();
  const panes = describe(stage, id => stage.people.find(person => person.id === id)?.name ?? id);
  $("panes").hidden = false;
  $("panes").append(element("p", { id: "about" }, element("b", {}, stage.about), " " + stage.try),
    ...panes.map(({ title, query }) => element("a", { href: "demo?" + query, target: "_blank" }, title + " ↗")),
    ...panes.map(({ title, query }) => element("iframe", { src: "demo?" + query, title })));
}
