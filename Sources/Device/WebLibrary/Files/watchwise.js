import { WatchWiseError, callApp } from "./errors.js";
import { Core } from "./core.js";
import { collectionOf, pairChat } from "./lanes.js";
import { openedName } from "./store.js";
// The library's words. docs: Sources/Device/WebLibrary; types: watchwise.d.ts.

/** The server's bound of a page, and what a list shows unless its caller says otherwise. */
const LIST_MAX = 200;

/** The fields that are there. */
const present = fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

const timeText = time => time instanceof Date ? time.toISOString() : time;

/** A live list of one row of `meta`. */
function single(core, kind, name, empty) {
  return {
    kind, isSingle: true, touches: changed => changed === name,
    load: async () => ({ rows: (await core.store.get("meta", name))?.value ?? empty }),
  };
}

/** The newest messages of a chat in the order of their numbers; backwards only where there are gaps, for that is slow. */
async function newest(store, chat, id, limit) {
  const from = chat ? chat.top - limit + 1 : 1;
  const rows = await store.range("messages", { is: id, from, limit });
  return rows.length === limit || from <= 1 ? rows : (await store.range("messages", { is: id, reverse: true, limit })).reverse();
}

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
    return core.watch({
      kind: "chats", touches: name => name === "chats",
      load: async () => ({ rows: await core.store.range("chats", { index: "seq", reverse: true, limit }) }),
    }, told, options);
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

  typing(on = true) {
    this.core.call("tell", { type: "typing", chat: this.id, on }).catch(() => {});
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
    const source = {
      kind: "messages", chat: id, touches: name => name === `chat:${id}`,
      begin: () => {
        core.store.write([{ put: ["meta", { name: openedName(id), value: Date.now() }] }]).catch(() => {});
        // What is missing is asked for as soon as there is a connection.
        return core.on("state", ({ name }) => name === "live" && core.changed_([`chat:${id}`]));
      },
      load: async () => {
        const chat = await core.store.get("chats", id);
        const rows = await newest(core.store, chat, id, limit);
        const from = rows.length === limit ? rows[0].n : 1;
        const missing = chat?.gaps.filter(([, to]) => to >= from).at(-1);
        if (missing && core.state.name === "live") this.fill(missing, limit, source);
        return { rows, context: { chat: id }, complete: !missing };
      },
    };
    return core.watch(source, told, options);
  }

  /** Asks for the newest missing page, once; when it is here, the next is looked for. */
  fill([first, last], limit, source) {
    const asked = `${first}-${last}`;
    if (source.asked === asked) return;
    source.asked = asked;
    this.core.call("history", this.id, { before: last + 1, limit: Math.min(limit, LIST_MAX) }).catch(() => {
      source.asked = undefined;
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
    return core.watch({
      kind: "invitations", touches: name => name === "invitations",
      load: async () => ({
        rows: (await core.store.get("meta", "invitations"))?.value ?? [], context: { now: new Date(core.serverTime).toISOString() },
      }),
    }, told, options);
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

  watch(told, options) {
    const { core } = this;
    const load = async () => ({ rows: await core.store.range("topics", {}) });
    return core.watch({ kind: "topics", touches: name => name === "topics", load }, told, options);
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
    return core.watch({
      kind: "inbox", touches: name => name === "inbox" || name === "seenUpTo",
      load: async () => ({ rows: await core.store.range("inbox", { index: "seq", reverse: true, limit }), context: await this.context() }),
    }, told, options);
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
    return core.watch({
      kind: "documents", touches: name => name === `doc:${path}`, isSingle: true,
      load: async () => ({ rows: [await core.store.get("documents", path)].filter(Boolean), context: { path }, ...core.watchState(path) }),
    }, told, { ...options, paths: [path] });
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

  watch(told, options = {}) {
    const { core, path } = this;
    return core.watch({
      kind: "documents", touches: name => name === `doc:${path}` || name.startsWith(`doc:${path}/`),
      load: async () => ({ rows: await this.list(), context: { path, isCollection: true }, ...core.watchState(path) }),
    }, told, { ...options, paths: [path] });
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
    return this.core.watch(single(this.core, "preferences", "preferences", {}), told, options);
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
    const tell = () => callApp(told, this.list());
    const watcher = { source: {}, changed: names => names.includes("outbox") && tell(), close() {} };
    this.core.lists.add(watcher);
    tell();
    return () => this.core.lists.delete(watcher);
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
    this.presence = { watch: (users, told, options) => core.needs.people.watch(users, told, options) };
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
  async *events() {
    const queue = [];
    let wake = () => {};
    const off = this.on("*", event => {
      if (event?.type) queue.push(event);
      else if (event?.name === "closed" || this.core.isClosed) queue.push(null);
      wake();
    });
    try {
      while (true) {
        while (queue.length === 0) await new Promise(resolve => (wake = resolve));
        const event = queue.shift();
        if (event === null) return;
        yield event;
      }
    } finally {
      off();
    }
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
    return this.core.call("request", command, options);
  }

  watchUnread(told, options) {
    const { core } = this;
    return core.watch({
      kind: "unread", isSingle: true, touches: name => ["unread", "chats", "inbox", "seenUpTo"].includes(name),
      load: async () => ({
        rows: (await core.store.get("meta", "unread"))?.value ?? { chats: 0, notifications: 0 },
        context: {
          chats: await core.store.range("chats", { index: "seq", reverse: true, limit: LIST_MAX }),
          inbox: await core.store.range("inbox", { index: "seq", reverse: true, limit: LIST_MAX }), ...await this.inbox.context(),
        },
      }),
    }, told, options);
  }
}

export { WatchWise, WatchWiseError };
