import { WatchWiseError } from "./errors.js";
// What the stores have in common. A store is an object with these methods, all of which return promises:
//
//   open()                    the open store; throws when it cannot be opened
//   get(table, key)           a row, or null
//   rows(needs)               rows, or lists of messages, as `rowsOf` in mirror.js names them; not every store has it
//   range(table, query)       rows in the order of an index, equal ones in that of their keys; query: {index?, is?, from?, to?, reverse?, limit?}
//   write(changes, options)   all of them, or none; {durable, leader}; returns the orders of the entries kept, by key
//   all()                     every row of every table, by table
//   close(), destroy()
//
// Changes are those of mirror.js and {clear: table}, {deleteMessages: chat, below?}, {keepEntry: entry}, {removeEntry: key}.

/** The version of the tables. A store of a later one is not opened. */
export const SCHEMA = 1;

/**
 * Tables with their keys and indexes. `is` of a query is the first column of a key or index of two, or the one of an index
 * that is not unique; `from` and `to` are bounds, included, of the last one.
 */
export const TABLES = {
  meta: { key: ["name"], indexes: {} },
  chats: { key: ["chat"], indexes: { seq: ["seq"] } },
  messages: { key: ["chat", "n"], indexes: {} },
  inbox: { key: ["id"], indexes: { seq: ["seq"] } },
  documents: { key: ["path"], indexes: { collection: ["collection", "path"] } },
  watches: { key: ["path"], indexes: {} },
  topics: { key: ["topic"], indexes: {} },
  outbox: { key: ["order"], indexes: { key: ["key"] } },
};

/** How much is kept of a chat that was opened within 30 days, and of others; of the inbox; and of documents that nobody watches. */
const KEPT = { messagesOpened: 5000, messages: 500, openedMs: 30 * 86_400_000, inbox: 1000, documentsMs: 7 * 86_400_000 };

/** So many messages after one that was read are looked at. */
export const LATER_MAX = 200;

/** A transaction of a leader found that another tab leads now: it has changed nothing. */
export class LeaderLost extends Error {}

/** The columns of a query's index. */
export function columnsOf(table, index) {
  return index ? TABLES[table].indexes[index] : TABLES[table].key;
}

/** The key of a row: one value, or a list of them. */
export function keyOf(table, row) {
  const key = TABLES[table].key.map(column => row[column]);
  return key.length === 1 ? key[0] : key;
}

/**
 * Deletes what need not be kept: old messages, old notifications, documents that nobody watches. A range of messages that
 * was deleted is a gap, which `history` fills.
 * @param {number} now milliseconds since 1970; only differences of days count
 * @param {Set<string>} [options.shown] chats of which nothing goes, since somebody looks at them
 * @param {Set<string>} [options.wanted] paths that somebody watches, or wants to
 * @returns {Promise<{chats: Map<string, number>, paths: string[], changes: object[]}>} the chats of which messages went, with the
 *   number below which they did, the paths whose documents went, and all that was changed
 */
export async function trimStore(store, now, { bounds = KEPT, leader, shown = new Set(), wanted = new Set() } = {}) {
  const changes = [];
  const [chats, paths] = [new Map(), []];
  for (const chat of await store.range("chats", { index: "seq", reverse: true })) {
    const openedAt = (await store.get("meta", openedName(chat.chat)))?.value ?? 0;
    const isOpened = now - openedAt < bounds.openedMs;
    const below = chat.top - (isOpened ? bounds.messagesOpened : bounds.messages) + 1;
    if (below <= 1 || shown.has(chat.chat) || chat.gaps[0]?.[0] === 1 && chat.gaps[0][1] >= below - 1) continue;
    chats.set(chat.chat, below);
    changes.push({ deleteMessages: chat.chat, below }, { put: ["chats", withoutBelow(chat, below)] });
  }
  const notifications = await store.range("inbox", { index: "seq", reverse: true });
  for (const { id } of notifications.slice(bounds.inbox)) changes.push({ delete: ["inbox", id] });
  for (const watch of await store.range("watches", {})) {
    if (watch.isActive || wanted.has(watch.path) || now - watch.usedAt < bounds.documentsMs) continue;
    paths.push(watch.path);
    changes.push({ delete: ["watches", watch.path] });
    const below = await store.range("documents", { index: "collection", is: watch.path });
    for (const { path } of below) changes.push({ delete: ["documents", path] });
    changes.push({ delete: ["documents", watch.path] });
  }
  if (changes.length) await store.write(changes, { leader });
  return { chats, paths, changes };
}

/** The name of the row that says when a chat was opened: not in the chat's own, which the leader writes. */
export function openedName(chat) {
  return `opened/${chat}`;
}

/** A chat of which messages below a number are not here. */
function withoutBelow(chat, below) {
  const gaps = chat.gaps.map(([from, to]) => [Math.max(from, below), to]).filter(([from, to]) => from <= to);
  if (gaps[0]?.[0] === below) gaps[0] = [1, gaps[0][1]];
  else gaps.unshift([1, below - 1]);
  return { ...chat, gaps };
}

/**
 * A store that never stops: without room it trims once; when that does not help, or the database is gone, it goes on in
 * memory, and says so.
 */
export class LastingStore {
  /**
   * @param store the store to begin with
   * @param {() => object} makeMemory
   * @param {(event: {state: string, reason?: string}) => void} tell
   * @param {(paths: string[], changes: object[]) => void} trimmed called with the paths whose documents went, and all that went
   */
  constructor(store, makeMemory, tell, trimmed = () => {}) {
    Object.assign(this, { store, makeMemory, tell, trimmed, isDurable: store.isDurable, isClosed: false });
  }

  async open() {
    try {
      this.store = await this.store.open(reason => this.leave(reason, reason.name === "versionchange" ? "outdated" : "memory"));
    } catch (error) {
      if (error.code === "in-use") throw new WatchWiseError("storage", "in-use", error.message);
      await this.leave(error, error.name === "VersionError" ? "outdated" : "memory");
    }
    return this;
  }

  get(table, key) {
    return this.attempt(store => store.get(table, key));
  }

  range(table, query) {
    return this.attempt(store => store.range(table, query));
  }

  rows(needs) {
    if (needs.length === 0) return [];
    return this.attempt(store => store.rows?.(needs) ?? Promise.all(needs.map(([table, key, after]) => after === undefined ? store.get(table, key)
      : store.range(table, { is: key, from: after + 1, limit: LATER_MAX }))));
  }

  all() {
    return this.attempt(store => store.all());
  }

  async write(changes, options = {}) {
    const { store } = this;
    try {
      return await store.write(changes, options);
    } catch (error) {
      if (error instanceof LeaderLost || this.isClosed) throw error;
      if (store !== this.store) return this.store.write(changes, options);
      if (error.name === "QuotaExceededError") {
        try {
          const { chats, paths, changes: trimmed } = await trimStore(store, Date.now(), options);
          this.trimmed(paths, trimmed);
          // What is written was thought out before: its chats know nothing of the gaps yet.
          const again = ({ put }) => put?.[0] === "chats" && chats.has(put[1].chat);
          return await store.write(changes.map(change => again(change)
            ? { put: ["chats", withoutBelow(change.put[1], chats.get(change.put[1].chat))] } : change), options);
        } catch { /* there is no room: in memory, then */ }
      }
      await this.leave(error, "memory");
      return this.store.write(changes, options);
    }
  }

  async close() {
    this.isClosed = true;
    await this.leaving;
    await this.store.close();
  }

  /** Also what is on the disk, when it went on in memory. */
  async destroy() {
    this.isClosed = true;
    await this.store.destroy();
    await this.left?.destroy?.();
  }

  async attempt(read) {
    const { store } = this;
    try {
      return await read(store);
    } catch (error) {
      if (this.isClosed) throw error;
      if (store === this.store) await this.leave(error, "memory");
      return read(this.store);
    }
  }

  /** Goes on in memory with all that can still be read. */
  leave(error, state) {
    if (!this.isDurable) return this.leaving;
    this.isDurable = false;
    this.leaving = this.moveToMemory(error, state);
    return this.leaving;
  }

  async moveToMemory(error, state) {
    const old = this.store;
    const memory = this.makeMemory();
    await memory.open();
    try {
      memory.fill(await old.all());
    } catch { /* gone: what this process knows is written again by its owner */ }
    this.store = memory;
    this.left = old;
    old.close().catch(() => {});
    this.tell({ state, reason: error?.name ?? String(error) });
  }
}
