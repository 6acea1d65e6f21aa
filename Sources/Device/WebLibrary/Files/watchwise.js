import { WatchWiseError, callApp } from "./errors.js";
import { keyed } from "./commands.js";
import { Core } from "./core.js";
import { eventsOf } from "./iterating.js";
import { collectionOf, pairChat } from "./lanes.js";
import { openedName } from "./store.js";
import { RowWindow } from "./windows.js";
import { UnreadSource, WholeSource, WindowSource } from "./sources.js";
import { Pace } from "./lists.js";
// The library's words. docs: Sources/Device/WebLibrary; types: watchwise.d.ts.

/** The server's bound of a page, and what a list shows unless its caller says otherwise. */
const LIST_MAX = 200;
/** How long a list waits that could not get the page that it lacks. */
const AGAIN_MS = 1000;

/** The fields that are there. */
const present = fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

const timeText = time => time instanceof Date ? time.toISOString() : time;

const chatWindow = (core, limit) => new RowWindow(core, { table: "chats", index: "seq", isDescending: true }, limit);
const inboxWindow = (core, limit) => new RowWindow(core, { table: "inbox", index: "seq", isDescending: true }, limit);

/** The last key of a window that goes on in the store. */
const endOf = window => window.isMore ? window.last?.[window.key] : undefined;

class Chats {
  constructor(core) {
    this.core = core;
  }

  /** The user's chats from the store, those with the newest messages first. */
  async list({ before, limit = 50 } = {}) {
    const to = before === undefined ? undefined : Number(before) - 1;
    const rows = await this.core.store.range("chats", { index: "seq", to, reverse: true, limit });
    return { chats: rows, next: rows.length === limit ? `${rows.at(-1).seq}` : undefined };
  }

  watch(told, { limit = LIST_MAX, ...options } = {}) {
    const { core } = this;
    return core.watch(new WindowSource(core, { kind: "chats", name: "chats", window: chatWindow(core, limit) }), told, options);
  }
}

/** One chat: with a person, or a room. */
class Chat {
  constructor(core, id) {
    this.core = core;
    this.id = id;
    this.other = id.startsWith("room:") ? null : id.split(":").find(name => name !== core.user) ?? core.user;
  }

  /** A chat of two is opened by its first message. */
  get address() {
    return this.other ? { to: this.other } : { chat: this.id };
  }

  send(text, { replyTo } = {}) {
    this.typing(false);
    return this.core.writes.write({ type: "send", ...this.address, text, ...(replyTo && { replyTo }) });
  }

  recommend(product, { note } = {}) {
    return this.core.writes.write({ type: "recommend", ...this.address, product, ...(note !== undefined && { note }) });
  }

  edit(n, text) {
    return this.core.writes.write({ type: "edit", chat: this.id, n, text });
  }

  delete(n) {
    return this.core.writes.write({ type: "delete", chat: this.id, n });
  }

  react(n, emoji, on = true) {
    return this.core.writes.write({ type: "react", chat: this.id, n, emoji, on });
  }

  read(n) {
    return this.core.writes.write({ type: "read", chat: this.id, n });
  }

  archive(on = true) {
    return this.core.writes.write({ type: "archive", chat: this.id, on });
  }

  /** To be called with each key: it is said every 3 s at most, and ends 5 s after the last one, or with the message. */
  typing(on = true) {
    this.core.writing.soon(({ typingIn }) => typingIn(this.core, this.id)[on ? "press" : "end"]());
  }

  /** A page of messages, in the order of their numbers: from the store if it has them all, else from the server. */
  async history({ before, after, limit = 50 } = {}) {
    const { store } = this.core;
    const bounds = { from: after === undefined ? undefined : after + 1, to: before === undefined ? undefined : before - 1 };
    const rows = await store.range("messages", { is: this.id, ...bounds, reverse: after === undefined, limit });
    if (after === undefined) rows.reverse();
    const chat = await store.get("chats", this.id);
    const first = after === undefined ? rows[0]?.n : after + 1;
    const last = after !== undefined ? rows.at(-1)?.n : before === undefined ? chat?.top : before - 1;
    const isWhole = chat && rows.length > 0 && !chat.gaps.some(([from, to]) => from <= last && to >= first)
      && (rows.length === limit || (after === undefined ? first === 1 : last === chat.top));
    if (isWhole) {
      const [start, end] = [rows[0].n > 1, rows.at(-1).n < chat.top];
      return { messages: rows, next: after === undefined ? start ? `${rows[0].n}` : undefined : end ? `${rows.at(-1).n}` : undefined };
    }
    return this.core.call("history", this.id, { before, after, limit: Math.min(limit, LIST_MAX) });
  }

  /** The newest messages, and those that wait. While it is watched, it is the chat on the screen. */
  watch(told, { limit = 50, ...options } = {}) {
    const { core, id } = this;
    const window = new RowWindow(core, { table: "messages", is: id }, limit);
    const source = new WindowSource(core, {
      kind: "messages", chat: id, window, name: `chat:${id}`, depends: changes => changes.hasRow("chats", id) || changes.has("state"),
      begin: () => {
        core.store.write([{ put: ["meta", { name: openedName(id), value: Date.now() }] }]).catch(() => {});
        return () => clearTimeout(source.again);
      },
      describe: async () => {
        const chat = await core.store.get("chats", id);
        const from = window.rows.length === window.limit ? window.last.n : 1;
        const missing = chat?.gaps.filter(([, to]) => to >= from).at(-1);
        // Without a connection it is asked for as soon as there is one.
        if (missing && core.state.name === "live") this.fill(missing, window.limit, source);
        return { context: { chat: id }, complete: !missing, hasMore: window.isMore || (chat?.gaps ?? []).some(([first]) => first < from) };
      },
    });
    return core.watch(source, told, options);
  }

  /** Asks for the newest missing page, once; when it is here, the next is looked for. */
  fill([first, last], limit, source) {
    const asked = `${first}-${last}`;
    if (source.asked === asked) return;
    source.asked = asked;
    this.core.call("history", this.id, { before: last + 1, limit: Math.min(limit, LIST_MAX) }).catch(({ kind, retryAfterMs = 0 }) => {
      source.asked = undefined;
      clearTimeout(source.again);
      // One that is refused for good is asked for again when the chat changes.
      if (kind === "permanent" || kind === "closed") return;
      source.again = setTimeout(() => this.core.tellAgain(source), retryAfterMs + AGAIN_MS);
      source.again.unref?.();
    });
  }
}

class Rooms {
  constructor(core) {
    this.core = core;
  }

  /** The write's `done` has the id as `chat`. */
  create(title, members = [], more = {}) {
    return this.core.writes.write({ type: "room.create", title, members, ...more });
  }

  invite(chat, members) {
    return this.core.writes.write({ type: "room.invite", chat, members });
  }

  /** Into an open room. */
  join(chat) {
    return this.core.writes.write({ type: "room.join", chat });
  }

  leave(chat) {
    return this.core.writes.write({ type: "room.leave", chat });
  }

  /** Its title, for example; members that are not named stay. */
  update(chat, changes) {
    return this.core.writes.write({ type: "room.update", chat, ...changes });
  }

  remove(chat, user, { ban, until, reason } = {}) {
    return this.core.writes.write({ type: "room.remove", chat, user, ...present({ ban, until: timeText(until), reason }) });
  }

  role(chat, user, role) {
    return this.core.writes.write({ type: "room.role", chat, user, role });
  }

  /** Without `until` the member may write again. */
  mute(chat, user, until) {
    return this.core.writes.write({ type: "room.mute", chat, user, ...present({ until: timeText(until) }) });
  }

  members(chat, { after, limit } = {}) {
    return this.core.call("request", { type: "room.members", chat, ...present({ after, limit }) });
  }

  /** The user's, or with `open` all open ones. */
  list({ open, after, limit } = {}) {
    return this.core.call("request", { type: "rooms", ...present({ open, after, limit }) });
  }
}

/** Invitations into rooms that wait for the user's answer. */
class Invitations {
  constructor(core) {
    this.core = core;
  }

  list({ after, limit } = {}) {
    return this.core.call("request", { type: "room.invitations", ...present({ after, limit }) });
  }

  /** The user is a member when the write is done. */
  accept(chat) {
    return this.core.writes.write({ type: "room.accept", chat });
  }

  /** The person who invited hears nothing of it. */
  decline(chat) {
    return this.core.writes.write({ type: "room.decline", chat });
  }

  watch(told, options) {
    const { core } = this;
    return core.watch(new WholeSource(core, {
      kind: "invitations", touches: name => name === "invitations",
      load: async () => ({
        rows: (await core.store.get("meta", "invitations"))?.value ?? [], context: { now: new Date(core.serverTime).toISOString() },
      }),
    }), told, options);
  }
}

class Topics {
  constructor(core) {
    this.core = core;
  }

  follow(topic) {
    return this.core.writes.write({ type: "follow", topic });
  }

  unfollow(topic) {
    return this.core.writes.write({ type: "unfollow", topic });
  }

  async list() {
    return (await this.core.store.range("topics", {})).map(({ topic }) => topic);
  }

  async isFollowed(topic) {
    const wanted = this.core.entries.filter(({ command, state }) => command.topic === topic && state !== "failed").at(-1);
    return wanted ? wanted.command.type === "follow" : await this.core.store.get("topics", topic) !== null;
  }

  followers(topic, { after, limit } = {}) {
    return this.core.call("request", { type: "followers", topic, ...(after && { after }), ...(limit && { limit }) });
  }

  watch(told, { limit = Infinity, ...options } = {}) {
    const { core } = this;
    const window = new RowWindow(core, { table: "topics" }, limit);
    return core.watch(new WindowSource(core, { kind: "topics", name: "topics", window, describe: () => ({ context: { end: endOf(window) } }) }), told, options);
  }
}

class Inbox {
  constructor(core) {
    this.core = core;
  }

  async context() {
    return { seenUpTo: (await this.core.store.get("meta", "seenUpTo"))?.value ?? 0, now: new Date(this.core.serverTime).toISOString() };
  }

  async list({ before, limit = 50, unread = false } = {}) {
    const { notifications, next } = await this.core.call("request", { type: "notifications", limit, unread, ...(before && { before }) });
    return { notifications, next };
  }

  seen({ upTo, ids }) {
    return this.core.writes.write({ type: "seen", ...(ids ? { ids } : { upTo }) });
  }

  archive(ids) {
    return this.core.writes.write({ type: "archive", ids });
  }

  snooze(ids, until) {
    return this.core.writes.write({ type: "snooze", ids, until: timeText(until) });
  }

  watch(told, { limit = LIST_MAX, ...options } = {}) {
    const { core } = this;
    return core.watch(new WindowSource(core, {
      kind: "inbox", name: "inbox", window: inboxWindow(core, limit), depends: changes => changes.has("seenUpTo"),
      describe: async () => ({ context: await this.context() }),
    }), told, options);
  }
}

/** A document, by its path. */
class DocumentReference {
  constructor(core, path) {
    this.core = core;
    this.path = path;
  }

  /** From the store while it is watched, else from the server. */
  async get() {
    if (this.core.watchState(this.path).complete) return this.core.store.get("documents", this.path);
    try {
      return await this.core.call("request", { type: "get", path: this.path });
    } catch (error) {
      if (error.code === "not-found") return null;
      throw error;
    }
  }

  put(data, { ifVersion } = {}) {
    return this.write({ type: "put", data }, ifVersion);
  }

  patch(data, { ifVersion } = {}) {
    return this.write({ type: "patch", data }, ifVersion);
  }

  remove({ ifVersion } = {}) {
    return this.write({ type: "remove" }, ifVersion);
  }

  write({ type, data }, ifVersion) {
    const { core, path } = this;
    return core.writes.write({ type, path, ...(data !== undefined && { data }), ...(ifVersion !== undefined && { ifVersion }) }, async () => {
      const row = await core.store.get("documents", path);
      if (row) return { version: row.version, data: row.data };
      const collection = collectionOf(path);
      return core.watchState(path).complete || core.watchState(collection).complete ? { version: 0, data: null } : null;
    });
  }

  watch(told, options = {}) {
    const { core, path } = this;
    return core.watch(new WholeSource(core, {
      kind: "documents", touches: name => name === `doc:${path}`, isSingle: true,
      load: async () => ({ rows: [await core.store.get("documents", path)].filter(Boolean), context: { path }, ...core.watchState(path) }),
    }), told, { ...options, paths: [path] });
  }
}

class CollectionReference {
  constructor(core, path) {
    this.core = core;
    this.path = path;
  }

  async list() {
    return this.core.store.range("documents", { index: "collection", is: this.path });
  }

  watch(told, { limit = Infinity, ...options } = {}) {
    const { core, path } = this;
    const window = new RowWindow(core, { table: "documents", index: "collection", is: path }, limit);
    return core.watch(new WindowSource(core, {
      kind: "documents", window, keysOf: changes => this.keysOf(changes), depends: changes => changes.has(`doc:${path}`),
      describe: () => ({ context: { path, isCollection: true, end: endOf(window) }, ...core.watchState(path) }),
    }), told, { ...options, paths: [path] });
  }

  /** The documents of this collection among changes. */
  keysOf(changes) {
    const paths = [...changes.byName.keys()].filter(name => name.startsWith(`doc:${this.path}/`)).map(name => name.slice("doc:".length))
      .filter(path => collectionOf(path) === this.path);
    return paths.length ? new Set(paths) : undefined;
  }
}

class Preferences {
  constructor(core) {
    this.core = core;
  }

  async get() {
    return (await this.core.store.get("meta", "preferences"))?.value ?? this.core.call("request", { type: "preferences" });
  }

  set(patch) {
    return this.core.writes.write({ type: "preferences", set: patch });
  }

  watch(told, options) {
    const { core } = this;
    const load = async () => ({ rows: (await core.store.get("meta", "preferences"))?.value ?? {} });
    return core.watch(new WholeSource(core, { kind: "preferences", isSingle: true, touches: name => name === "preferences", load }), told, options);
  }
}

class Outbox {
  constructor(core) {
    this.core = core;
  }

  list() {
    return this.core.entries.map(({ key, command, lane, state, error, firstSent }) => ({ key, command, lane, state, error, firstSent }));
  }

  watch(told) {
    const pace = new Pace(() => callApp(told, this.list()));
    const watcher = { source: {}, note: changes => changes.has("outbox"), tell: () => pace.ask(), close: () => pace.end() };
    this.core.lists.add(watcher);
    pace.ask();
    return () => {
      pace.end();
      return this.core.lists.delete(watcher);
    };
  }

  retry(key) {
    return this.core.writes.control("retry", key);
  }

  discard(key) {
    return this.core.writes.control("discard", key);
  }
}

/** One user's session on this device. Make it with `WatchWise.open`. */
class WatchWise {
  /**
   * Opens the store, and connects. Lists can be watched at once: they are told from the store.
   * @param {{server: string, token: (about: {reason: string}) => Promise<string | null>, user?: string, locale?: string,
   *   storage?: string, webSocket?: any, connect?: boolean, onConflict?: Function}} options
   */
  static async open(options) {
    if (!options?.server) throw new WatchWiseError("permanent", "bad-request", "say which server", { field: "server" });
    if (typeof options.token !== "function") throw new WatchWiseError("permanent", "bad-request", "token must be a function", { field: "token" });
    if (typeof (options.webSocket ?? globalThis.WebSocket) !== "function") {
      const message = "no WebSocket; pass webSocket, or use Node 22 or later";
      throw new WatchWiseError("permanent", "bad-request", message, { field: "webSocket" });
    }
    const core = new Core(options);
    core.isWanted = options.connect !== false;
    return new WatchWise(await core.open());
  }

  constructor(core) {
    this.core = core;
    this.chats = new Chats(core);
    this.rooms = new Rooms(core);
    this.invitations = new Invitations(core);
    this.topics = new Topics(core);
    this.inbox = new Inbox(core);
    this.preferences = new Preferences(core);
    this.outbox = new Outbox(core);
    this.unread = { watch: (told, options) => this.watchUnread(told, options) };
    this.presence = { watch: (users, told, options) => core.needs.watchPeople(users, told, options) };
    this.push = {
      get state() {
        return core.pushes.state;
      },
      enable: options => core.pushes.enable(options), disable: () => core.pushes.disable(),
    };
    this.storage = { estimate: async () => globalThis.navigator?.storage?.estimate?.() ?? {} };
  }

  get user() {
    return this.core.user;
  }

  get device() {
    return this.core.device;
  }

  /** `{name}`, and what belongs to it: `until`, `attempt`, `code`, `reason`. */
  get state() {
    return this.core.state;
  }

  connect() {
    this.core.connect();
  }

  disconnect() {
    return this.core.disconnect();
  }

  /** For good. Writes that are kept go out when the library is opened again. */
  close() {
    return this.core.close();
  }

  /** Ends pushes to this browser, closes, and deletes the store. */
  signOut(options) {
    return this.core.signOut(options);
  }

  /** Calls `listener` for each event of a type: those of the server, "state" and "storage"; "*" for all. */
  on(type, listener) {
    return this.core.on(type, listener);
  }

  /** All events of the server from now on. */
  events() {
    return eventsOf(this);
  }

  /** @param {string | {with: string}} which the id of a chat, or the person of a chat of two */
  chat(which) {
    return new Chat(this.core, typeof which === "string" ? which : pairChat(this.core.user, which.with));
  }

  doc(path) {
    return new DocumentReference(this.core, path);
  }

  collection(path) {
    return new CollectionReference(this.core, path);
  }

  block(user) {
    return this.core.writes.write({ type: "block", user });
  }

  unblock(user) {
    return this.core.writes.write({ type: "unblock", user });
  }

  report(user, { chat, n, category, reason } = {}) {
    return this.core.writes.write({ type: "report", user, ...present({ chat, n, category, reason }) });
  }

  /** Any command that is answered; throws a `WatchWiseError`, also after 30 s without an answer. */
  request(command, options) {
    return this.core.call("request", keyed(command), options);
  }

  watchUnread(told, options) {
    const { core } = this;
    return core.watch(new UnreadSource(core, {
      chats: chatWindow(core, LIST_MAX), inbox: inboxWindow(core, LIST_MAX),
      load: async () => ({ rows: (await core.store.get("meta", "unread"))?.value ?? { chats: 0, notifications: 0 }, context: await this.inbox.context() }),
    }), told, options);
  }
}

export { WatchWise, WatchWiseError };
