import { WatchWiseError } from "./errors.js";
import { chatRow, messageRow } from "./mirror.js";
// What has to be asked for: the state after a reset, watched documents, pages of chats.

const PAGE = 200;
const CHAT_PAGES_MAX = 10;
const NOTIFICATION_PAGES_MAX = 5;
/** The server's bound of watches for one connection. */
const WATCHES_MAX = 100;
/** How long a watch waits that was refused for now. */
const AGAIN_MS = 1000;

/** The questions of an engine. */
export class Fetching {
  constructor(engine) {
    this.engine = engine;
    this.watches = new Map();  // by path: {path, epoch, seq, usedAt, isActive, isWanted, error}
    this.wanted = new Map();   // by tab: paths
  }

  async load() {
    const { store, cursor } = this.engine;
    for (const watch of await store.range("watches", {})) {
      // As long as a watch is active, it has everything up to the cursor.
      if (watch.isActive && cursor) Object.assign(watch, cursor);
      this.watches.set(watch.path, { ...watch, isActive: false, isWanted: false });
    }
    await this.write();
  }

  /** Whether one more path can be watched on this connection. */
  get hasRoom() {
    const { attempt } = this.engine;
    return [...this.watches.values()].filter(watch => watch.isActive || watch.begun === attempt).length < WATCHES_MAX;
  }

  /** Paths that found no room get it when others have ended. */
  fill() {
    if (!this.engine.isLive) return;
    for (const watch of this.watches.values()) {
      if (watch.isWanted && !watch.isActive && watch.error?.code === "too-many" && this.hasRoom) this.begin(watch);
    }
  }

  /** The paths that a tab watches now. One watch is shared by all who want it. */
  want(tab, paths) {
    if (paths.length) this.wanted.set(tab, paths);
    else this.wanted.delete(tab);
    const all = new Set([...this.wanted.values()].flat());
    for (const path of all) {
      const watch = this.watches.get(path) ?? { path, isActive: false };
      this.watches.set(path, watch);
      watch.usedAt = Date.now();
      if (watch.isWanted) continue;
      watch.isWanted = true;
      if (this.engine.isLive) this.begin(watch);
    }
    for (const watch of this.watches.values()) {
      if (!watch.isWanted || all.has(watch.path)) continue;
      watch.isWanted = false;
      if (watch.isActive) this.end(watch);
    }
    this.fill();
  }

  get wantedPaths() {
    return new Set([...this.watches.values()].filter(watch => watch.isWanted).map(watch => watch.path));
  }

  /** The documents of these paths are not in the store any more: what was known of them is no place to go on from. */
  forget(paths) {
    for (const path of paths) {
      const watch = this.watches.get(path);
      if (!watch?.isWanted) this.watches.delete(path);
      else {
        Object.assign(watch, { epoch: undefined, seq: undefined, isActive: false, begun: null });
        if (this.engine.isLive) this.begin(watch);
      }
    }
  }

  /** Nobody wants it any more: what the store has of it becomes old. */
  end(watch) {
    this.rest(watch);
    this.tell(watch);
    this.write([watch]);
    this.engine.tell({ type: "unwatch", path: watch.path });
  }

  /** Watches belong to a connection. */
  async watchAgain() {
    await Promise.all([...this.watches.values()].filter(watch => watch.isWanted && !watch.isActive).map(watch => this.begin(watch)));
  }

  disconnected() {
    const active = [...this.watches.values()].filter(watch => watch.isActive);
    for (const watch of active) {
      this.rest(watch);
      this.tell(watch);
    }
    if (active.length) this.write(active);
  }

  unwatched({ path, reason }) {
    const watch = this.watches.get(path);
    if (!watch) return;
    this.rest(watch);
    if (reason === "unavailable" && watch.isWanted) return void this.begin(watch);
    watch.error = new WatchWiseError("permanent", reason, `${path} may not be watched any more`);
    this.tell(watch);
  }

  /** From now on only its own position tells what it has. */
  rest(watch) {
    const { cursor } = this.engine;
    if (watch.isActive && cursor && !(watch.epoch === cursor.epoch && watch.seq > cursor.seq)) Object.assign(watch, cursor);
    watch.isActive = false;
  }

  async begin(watch) {
    const { engine } = this;
    const { path, epoch, seq } = watch;
    const { attempt } = engine;
    if (watch.begun === attempt) return;
    if (!this.hasRoom) watch.error = new WatchWiseError("limit", "too-many", `more than ${WATCHES_MAX} paths are watched`);
    else try {
      Object.assign(watch, { begun: attempt, error: null });
      const documents = [];
      const take = fetched => {
        documents.push(...fetched);
        for (const { path, version, seq, data } of fetched) engine.batch.add({ type: "document", path, version, seq, data, isFetched: true });
      };
      const options = { persistence: "once", atOnce: ok => take(ok.documents) };
      let reply = await engine.request({ type: "watch", path, ...(epoch && { since: { epoch, seq } }) }, options);
      const isWhole = !epoch || reply.reset !== undefined;
      while (reply.next) reply = await engine.request({ type: "watch", path, after: reply.next }, options);
      if (isWhole) take(await this.goneFrom(path, documents, reply.seq));
      Object.assign(watch, { epoch: engine.hello.epoch, seq: reply.seq, isActive: true });
      engine.batch.add({ changes: [this.row(watch)] });
      await engine.batch.stored();
      if (!watch.isWanted) this.end(watch);
    } catch (error) {
      // What was lost with its connection is asked for again with the next one; while it stands, after a while.
      if (error.kind === "permanent") watch.error = error;
      else setTimeout(() => watch.isWanted && !watch.isActive && engine.isLive && this.begin(watch), (error.retryAfterMs ?? 0) + AGAIN_MS).unref?.();
    } finally {
      if (watch.begun === attempt) watch.begun = null;
      if (watch.error?.kind === "permanent") this.fill();
    }
    this.tell(watch);
  }

  /** Tells how it stands with a watch: in this tab and in others. */
  tell({ path, isActive, error }) {
    this.engine.owner.watchTold(path, { complete: isActive, error: error ?? null });
  }

  /** The documents of a path that are here, and no longer there. */
  async goneFrom(path, documents, seq) {
    const there = new Set(documents.map(document => document.path));
    const here = [...await this.engine.store.range("documents", { index: "collection", is: path }), await this.engine.store.get("documents", path)];
    return here.filter(row => row && !there.has(row.path)).map(row => ({ path: row.path, version: 0, seq, data: null }));
  }

  row({ path, epoch, seq, usedAt, isActive }) {
    return { put: ["watches", { path, epoch, seq, usedAt: usedAt ?? 0, isActive }] };
  }

  async write(watches = [...this.watches.values()]) {
    const { store, leader, owner, isLost } = this.engine;
    if (isLost) return;
    await store.write(watches.map(watch => this.row(watch)), { leader }).catch(error => owner.storeFailed(error));
  }

  /** The position up to which a reply that has just come shows everything. */
  get asOf() {
    return this.engine.session.received.reached?.seq ?? 0;
  }

  /** All pages of a list. */
  async pages(command, name, more, pagesMax = Infinity) {
    const rows = [];
    let next;
    for (let page = 0; page < pagesMax; page++) {
      const asked = { ...command, limit: PAGE, ...(next !== undefined && { [more]: next }) };
      const atOnce = ok => rows.push(...ok[name].map(row => [row, this.asOf]));
      ({ next } = await this.engine.request(asked, { persistence: "once", atOnce }));
      if (next === undefined) break;
    }
    return rows;
  }

  /** The changes that put the server's state in place of all that is here, but for documents, which are watched again. */
  async everything() {
    const { engine } = this;
    const [chats, notifications, topics, invitations, preferences] = await Promise.all([
      this.pages({ type: "chats" }, "chats", "before", CHAT_PAGES_MAX),
      this.pages({ type: "notifications" }, "notifications", "before", NOTIFICATION_PAGES_MAX),
      this.pages({ type: "following" }, "topics", "after"),
      this.pages({ type: "room.invitations" }, "invitations", "after").catch(withoutThem),
      engine.request({ type: "preferences" }, { persistence: "once" }),
    ]);
    const changes = ["chats", "messages", "inbox", "topics"].map(table => ({ clear: table }));
    for (const [chat, asOf] of chats) {
      changes.push({ put: ["chats", chatRow(chat, null, asOf)] });
      if (chat.last) changes.push({ put: ["messages", messageRow(chat.last, asOf)] });
    }
    for (const [row] of notifications) changes.push({ put: ["inbox", row] });
    for (const [topic] of topics) changes.push({ put: ["topics", { topic }] });
    changes.push({ put: ["meta", { name: "invitations", value: invitations.map(([row]) => row) }] });
    changes.push({ put: ["meta", { name: "preferences", value: preferences }] }, { put: ["meta", { name: "seenUpTo", value: 0 }] });
    engine.feed({ preferences });
    return changes;
  }

  /** A page of a chat; it is in the store when this is over. */
  async history(chat, { before, after, limit }) {
    const { engine } = this;
    const bounds = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    const atOnce = ({ messages, next }) => messages.every(({ n }) => Number.isInteger(n)) && engine.batch.add({ history: { chat, messages, asked: { before, after, next }, asOf: this.asOf } });
    const { messages, next } = await engine.request({ type: "history", chat, ...bounds, limit }, { atOnce });
    await engine.batch.stored();
    return { messages, next };
  }
}

/** Of a server that is older than invitations. */
function withoutThem(error) {
  if (error.code === "unknown-command") return [];
  throw error;
}
