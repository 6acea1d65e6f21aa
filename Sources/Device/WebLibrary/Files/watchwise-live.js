import { WatchWiseError, callApp } from "./errors.js";
import { keyed } from "./commands.js";
import { Connection, ticks } from "./connection.js";
import { eventsOf } from "./iterating.js";
import { SessionMachine } from "./session.js";
import { MESSAGE_BYTES } from "./sizes.js";
import { randomName } from "./names.js";
// The small library: one connection with its token, events, counts, the inbox and commands. It has no store, no outbox and no
// lists of chats: what it knows is gone with the page, and a command is sent once. docs: Sources/Device/WebLibrary.

/** The server's bound of a page. */
const PAGE_MAX = 200;

/** A list, or one value, that those who watch it are told of when it changes. */
class Watched {
  constructor(shown) {
    Object.assign(this, { shown, watchers: new Set() });
  }

  watch(told, { signal } = {}) {
    if (signal?.aborted) return () => {};
    this.watchers.add(told);
    const off = () => this.watchers.delete(told);
    signal?.addEventListener("abort", off, { once: true });
    callApp(told, this.shown);
    return off;
  }

  show(shown) {
    this.shown = { ...this.shown, ...shown };
    for (const told of [...this.watchers]) callApp(told, this.shown);
  }
}

/** How an event changes the newest entries of an inbox. */
const CHANGES = {
  "notification": (items, { type: _, ...item }) => item.seq === undefined ? items
    : [{ ...item, seen: false }, ...items.filter(({ id }) => id !== item.id)],
  "notification.seen": (items, { upTo, ids }) => items.map(item => (ids ? ids.includes(item.id) : item.seq <= upTo) ? { ...item, seen: true } : item),
  "notification.edited": (items, { id, title, body, data }) => items.map(item => item.id === id ? { ...item, title, body, data } : item),
  "notification.removed": (items, { id }) => items.filter(item => item.id !== id),
};

/** The newest notifications. They are asked for when somebody watches, and events change them from then on. */
class Inbox extends Watched {
  constructor(client) {
    super({ items: [], complete: false });
    Object.assign(this, { client, limit: 0, early: null, isKnown: false });
  }

  async list({ before, limit = 50, unread = false } = {}) {
    const { notifications, next } = await this.client.request({ type: "notifications", limit, unread, ...(before && { before }) });
    return { notifications, next };
  }

  seen({ upTo, ids }) {
    return this.client.request({ type: "seen", ...(ids ? { ids } : { upTo }) });
  }

  archive(ids) {
    return this.client.request({ type: "archive", ids });
  }

  snooze(ids, until) {
    return this.client.request({ type: "snooze", ids, until: until instanceof Date ? until.toISOString() : until });
  }

  watch(told, { limit = 50, ...options } = {}) {
    const isMore = limit > this.limit;
    this.limit = Math.max(limit, this.limit);
    const off = super.watch(told, options);
    if (isMore) this.ask();
    return off;
  }

  /** Asks for the newest page; what comes before the answer is laid over it. */
  async ask() {
    const { connection } = this.client;
    if (!this.limit || !connection.isLive) return;
    const early = this.early = [];
    try {
      const limit = Math.min(this.limit, PAGE_MAX);
      const atOnce = ({ notifications }) => {
        if (this.early !== early) return;
        Object.assign(this, { early: null, isKnown: true });
        this.show({ items: early.reduce(changed, notifications).slice(0, limit), complete: connection.isLive });
      };
      await connection.request({ type: "notifications", limit }, { persistence: "once", atOnce });
    } catch { /* asked again with the next connection */ }
  }

  took(event) {
    if (!CHANGES[event.type] || !this.limit) return;
    if (this.early) this.early.push(event);
    else if (this.isKnown) this.show({ items: changed(this.shown.items, event).slice(0, this.limit) });
  }

  /** The connection has another state. Missed events come before it is live again, so what is known stays true. */
  stands() {
    const complete = this.isKnown && this.client.connection.isLive;
    if (complete !== this.shown.complete) this.show({ complete });
  }

  /** The server cannot say what was missed: what is known is not true any more. */
  lost() {
    Object.assign(this, { early: null, isKnown: false });
    this.stands();
  }
}

function changed(items, event) {
  return CHANGES[event.type](items, event);
}

/** The connection, which tells its client what happens. */
class Live extends Connection {
  constructor(client, { server, token, webSocket, user = null, device, locale, client: name }) {
    super({ server, token, WebSocket: webSocket ?? globalThis.WebSocket });
    this.client = client;
    this.configuration = { user, device: device ?? `js-${randomName()}`, locale: locale ?? null, client: name ?? "watchwise-js-live/1" };
    this.messageBytes = MESSAGE_BYTES;
    this.offset = 0;
  }

  connect() {
    if (this.isStopped || this.goesOn()) return;
    const since = this.session?.cursor ?? null;
    this.session = new SessionMachine({ ...this.configuration, since, retriesTokens: true }, Math.random);
    for (const hint of this.hints) this.input({ hint });
    this.watchTime(!this.hints.includes("hidden"));
    this.input({ start: true });
  }

  disconnect() {
    this.isLeaving = true;  // "closed" is for good
    if (this.session) this.input({ stop: true });
    this.isLeaving = false;
    this.client.told({ name: "idle" });
  }

  stop() {
    this.isStopped = true;
    this.watchTime(false);
    for (const { reject } of this.requests.values()) reject(new WatchWiseError("closed", "closed", "the library was closed"));
    this.requests.clear();
    this.probe();
    if (this.session) this.input({ stop: true });
    this.transport.close(1000);
    for (const { id } of Object.values(this.timers)) clearTimeout(id);
  }

  report_online(hello) {
    const { user, device, unread, limits, time } = hello;
    // From now on a token of another person ends this client.
    this.session.configuration.user = this.configuration.user = user ?? this.configuration.user;
    this.messageBytes = limits?.messageBytes ?? this.messageBytes;
    this.offset = Number.isFinite(Date.parse(time)) ? Date.parse(time) - ticks() : this.offset;
    Object.assign(this.client, { user, device });
    this.client.unread.show({ value: unread, complete: true });
  }

  report_event(event) {
    this.client.hear(event);
  }

  report_reset(reason) {
    this.client.inbox.lost();
    this.client.hear({ type: "reset", reason });
  }

  report_state(state) {
    if (this.isStopped || this.isLeaving) return;
    this.client.told(state);
    if (state.name !== "live") return;
    const { inbox } = this.client;
    if (!inbox.isKnown) inbox.ask();
  }

  report_offline() {
    const { unread } = this.client;
    if (unread.shown.complete) unread.show({ complete: false });
  }

  report_ended() {
    this.report_offline();
  }

  report_violation(violation) {
    this.client.hear({ type: "violation", violation });
  }

  report_live() {}
}

/** One user's connection of this page. Make it with `WatchWise.open`. */
class WatchWise {
  /** @param {object} options `server` and `token`; `user`, `device`, `locale`, `webSocket`, `connect` */
  static async open(options) {
    const wrong = (field, message) => new WatchWiseError("permanent", "bad-request", message, { field });
    if (!options?.server) throw wrong("server", "say which server");
    if (typeof options.token !== "function") throw wrong("token", "token must be a function");
    if (typeof (options.webSocket ?? globalThis.WebSocket) !== "function")
      throw wrong("webSocket", "no WebSocket; pass webSocket, or use Node 22 or later");
    return new WatchWise(options);
  }

  constructor(options) {
    Object.assign(this, { user: options.user ?? null, device: null, listeners: new Map(), unlisten: [], isClosed: false, isWanted: false });
    this.unread = new Watched({ value: { chats: 0, notifications: 0 }, complete: false });
    this.inbox = new Inbox(this);
    this.connection = new Live(this, options);
    this.watchPage();
    if (options.connect !== false) this.connect();
  }

  get state() {
    return this.isClosed ? { name: "closed" } : this.isWanted ? this.connection.state : { name: "idle" };
  }

  /** The server's time in milliseconds since 1970, as far as it is known. */
  get serverTime() {
    return this.connection.offset ? ticks() + this.connection.offset : Date.now();
  }

  connect() {
    if (this.isClosed) return;
    this.isWanted = true;
    this.connection.connect();
  }

  async disconnect() {
    this.isWanted = false;
    this.connection.disconnect();
  }

  async close() {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const end of this.unlisten) end();
    this.connection.stop();
    this.told({ name: "closed" });
    this.listeners.clear();
  }

  /** Calls `listener` for each event of a type, and for "state"; "*" for all events. */
  on(type, listener) {
    const listeners = this.listeners.get(type) ?? new Set();
    this.listeners.set(type, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** All events of the server from now on. */
  events() {
    return eventsOf(this);
  }

  /** A command that is answered; throws a `WatchWiseError`, also after 30 s without an answer. */
  request(command, options) {
    return this.isClosed ? Promise.reject(new WatchWiseError("closed", "closed", "the library is closed")) : this.connection.request(keyed(command), options);
  }

  /** A command of the moment, of which nobody waits for the answer: typing, for example. */
  tell(command) {
    this.connection.tell(command);
  }

  // What the connection tells

  told(state) {
    this.inbox.stands();
    this.emit("state", state);
  }

  hear(event) {
    if (event.type === "unread") this.unread.show({ value: { chats: event.chats, notifications: event.notifications } });
    this.inbox.took(event);
    this.emit(event.type, event);
  }

  emit(type, value) {
    for (const listener of [...this.listeners.get(type) ?? [], ...this.listeners.get("*") ?? []]) callApp(listener, value);
  }

  /** A page says when somebody looks at it, and the system when there is a network. */
  watchPage() {
    const { document, window } = globalThis;
    if (document === undefined || window?.addEventListener === undefined) return;
    const listen = (target, type, body) => {
      target.addEventListener(type, body);
      this.unlisten.push(() => target.removeEventListener(type, body));
    };
    const look = () => {
      const isVisible = document.visibilityState === "visible";
      this.connection.hint(isVisible ? "visible" : "hidden");
      this.connection.tell({ type: "focus", on: isVisible && document.hasFocus() });
    };
    look();
    listen(document, "visibilitychange", look);
    for (const type of ["focus", "blur"]) listen(window, type, look);
    for (const type of ["online", "offline"]) listen(window, type, () => this.connection.hint(type));
  }
}

export { WatchWise, WatchWiseError };
