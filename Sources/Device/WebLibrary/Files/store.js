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

/** The name of the row that says when a chat was opened: not in the chat's own, which the leader writes. */
export function openedName(chat) {
  return `opened/${chat}`;
}

/**
 * A store that never stops: without room it trims once; when that does not help, or the database is gone, it goes on in
 * memory, and says so.
 */
export class LastingStore {
  /**
   * @param store the store to begin with
   * @param {() => Promise<object>} part the part with `MemoryStore` and `writeTrimmed`
   * @param {(event: {state: string, reason?: string}) => void} tell
   * @param {(paths: string[], changes: object[]) => void} trimmed called with the paths whose documents went, and all that went
   * @param {() => boolean} isForgotten whether the user has signed out elsewhere: then nothing goes on of a database that was deleted
   */
  constructor(store, part, tell, trimmed = () => {}, isForgotten = () => false) {
    Object.assign(this, { store, part, tell, trimmed, isForgotten, isDurable: store.isDurable, isClosed: false });
  }

  async open() {
    try {
      this.store = await this.store.open(reason => this.leave(reason, reason.name === "versionchange" ? "outdated" : "memory"));
    } catch (error) {
      if (error.code === "in-use") throw new WatchWiseError("storage", "in-use", error.message);
      if (error.code === "not-loaded") throw error;  // it is to be in memory already
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
          return await (await this.part()).writeTrimmed(store, changes, options, this.trimmed);
        } catch { /* there is no room: in memory, then */ }
      }
      await this.leave(error, "memory");
      return this.store.write(changes, options);
    }
  }

  async close() {
    this.isClosed = true;
    await this.leaving?.catch(() => {});
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
    if (error?.name === "deleted" && this.isForgotten()) this.store = EMPTY;
    else {
      const { MemoryStore } = await this.part();
      const memory = await new MemoryStore().open();
      try {
        memory.fill(await old.all());
      } catch { /* gone: what this process knows is written again by its owner */ }
      this.store = memory;
    }
    this.left = old;
    old.close().catch(() => {});
    this.tell({ state, reason: error?.name ?? String(error) });
  }
}

/** The store of somebody who has signed out: it has nothing, and keeps nothing. */
export const EMPTY = {
  isDurable: false, get: async () => null, range: async () => [], rows: async () => [], all: async () => ({}), write: async () => ({}), close: async () => {}, destroy: async () => {},
};
