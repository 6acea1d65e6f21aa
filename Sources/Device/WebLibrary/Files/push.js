import { WatchWiseError } from "./errors.js";
import { parts } from "./loading.js";
import { attemptStorage } from "./users.js";
// Pushes to this browser, as far as each page needs them: their state, and what a click on a notification leads to.
// watchwise-push.js has the rest, and is loaded where a subscription is made or there is one.

const ROW = "push";

/** The registrations whose subscription outlived a sign-out, by server, in the storage of the page: the store is deleted with it. */
const leftover = {
  name: server => `watchwise:${server}:push`,

  /** Its `scope`, and whether it is the library's own (`isOwn`); null when there is none. */
  of(server) {
    return attemptStorage(storage => JSON.parse(storage.getItem(this.name(server))));
  },

  keep(server, row) {
    attemptStorage(storage => storage.setItem(this.name(server), JSON.stringify(row)));
  },

  forget(server) {
    attemptStorage(storage => storage.removeItem(this.name(server)));
  },
};

/** The pushes of one session. What is wanted stands in `meta`: `{scope, endpoint, key, open, privacy, isOwn}`, or `{isOff: true}`. */
export class Push {
  constructor(core) {
    this.core = core;
    this.row = null;
    this.isOn = false;
    this.key = null;
    this.container = globalThis.document && globalThis.PushManager && globalThis.Notification ? globalThis.navigator?.serviceWorker : undefined;
  }

  /** `on`, `off`, `denied` (by the person), `unavailable` (the server sends none), `unsupported` (by the browser). */
  get state() {
    if (!this.container) return "unsupported";
    if (globalThis.Notification.permission === "denied") return "denied";
    return this.isOn ? "on" : this.key ? "off" : "unavailable";
  }

  async start() {
    if (!this.container) return;
    this.core.listen(this.container, "message", event => this.hear(event));
    this.core.listen(globalThis.window, "hashchange", () => this.core.listeners.has("opened") && this.tellOpened());
    await this.readRows();
    this.finish();
  }

  /** An earlier user of this page has signed out without a network: what rings for them still is ended now. */
  async finish() {
    const { server } = this.core.options;
    const left = leftover.of(server);
    if (left === null) return;
    try {
      if (this.row?.scope !== left.scope) await (await this.load()).finish(left);
      leftover.forget(server);
    } catch { /* the next start tries again */ }
  }

  async readRows() {
    const [row, key] = await Promise.all([ROW, "pushKey"].map(name => this.core.store.get("meta", name)));
    this.row = row?.value ?? null;
    this.key = key?.value ?? null;
    this.isOn = Boolean(this.row?.endpoint);
    // A sign-out without a network needs it, too.
    if (this.row && this.container) this.load().catch(() => {});
    this.tell();
  }

  async keep(row) {
    await this.core.store.write([row ? { put: ["meta", { name: ROW, value: row }] } : { delete: ["meta", ROW] }]);
    this.core.changed([ROW]);
    await this.readRows();
  }

  tell() {
    const { state } = this;
    if (state === this.told) return;
    this.told = state;
    this.core.emit("push", state);
  }

  /** Whether a word of a worker is for this session. */
  hear({ data, ports }) {
    if (!data?.watchwise || data.scope !== this.row?.scope) return;
    if (data.watchwise === "whose") ports[0].postMessage(true);
    else if (data.watchwise === "opened") this.core.emit("opened", placeOf(data.place));
    else if (this.core.engine) this.load().then(part => part.compare(true)).catch(() => {});
  }

  /** The rest; tried again when it could not be loaded. */
  load() {
    this.part ??= (async () => {
      try {
        const { Subscribing } = await parts.push();
        return new Subscribing(this, WatchWiseError);
      } catch (error) {
        this.part = null;
        throw new WatchWiseError("retry", "push-unavailable", `the part for pushes cannot be loaded: ${error.message}`);
      }
    })();
    return this.part;
  }

  /** In a click: a browser asks for the permission only then, so nothing is waited for before. */
  async enable(options) {
    if (!this.container) throw new WatchWiseError("permanent", "push-unsupported", "this browser has no pushes here: they need https or localhost");
    const loading = this.load();
    loading.catch(() => {});
    if (await Notification.requestPermission() !== "granted") {
      this.tell();
      throw new WatchWiseError("permanent", "push-denied", "the person, or the browser, refuses notifications of this page");
    }
    return (await loading).enable(options);
  }

  async disable() {
    return (await this.load()).disable();
  }

  /** Before a sign-out: nothing may ring for somebody who has left. */
  async leave() {
    if (!this.row) return;
    const { row: { scope, isOwn }, core: { options: { server } } } = this;
    const isOver = scope === undefined || await this.load().then(part => part.leave(), () => false);
    if (!isOver) leftover.keep(server, { scope, isOwn });
  }

  /** The changes that the answer to `hello` makes: it names the key. */
  welcomed(key = null) {
    return this.container && key !== this.key ? [{ put: ["meta", { name: "pushKey", value: key }] }] : [];
  }

  /** The leader is in step with the server. */
  async live(engine) {
    if (this.row) await (await this.load()).live(engine);
  }

  /** An event of the server, which is in the store now, may show that something was seen. */
  async took(event, cursor) {
    if (this.isOn) await (await this.load()).took(event, cursor);
  }

  /** Tells a new listener, once, of the click that has opened this page. */
  tellOpened() {
    const place = placeOf(globalThis.location?.hash.slice(1) ?? "");
    if (!place) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    queueMicrotask(() => this.core.emit("opened", place));
  }
}

/** What a click on a notification leads to, as a fragment of an address names it: `{id, chat?, n?}`. */
export function placeOf(fragment) {
  const place = new URLSearchParams(fragment);
  const [id, chat, n] = ["ww", "chat", "n"].map(name => place.get(name) ?? undefined);
  return id || chat ? { id, ...(chat && { chat }), ...(n && { n: Number(n) }) } : null;
}
