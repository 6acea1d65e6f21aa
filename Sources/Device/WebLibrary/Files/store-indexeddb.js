import { LATER_MAX, LeaderLost, SCHEMA, TABLES, columnsOf } from "./store.js";
// The store of browsers. One transaction for each write; a write that must not be lost is flushed to the disk.

/** Fewer messages of a chat than this are read one by one. */
const NEAR_MIN = 8;
/** How long another page may take to let go of a database of an earlier version. */
const BLOCKED_MS = 5000;

const only = columns => columns.length === 1 ? columns[0] : columns;

/** The outcome of a request, as a promise that keeps its transaction alive. */
function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Nothing more is asked of a transaction. It ends by itself also where its page is put away meanwhile: else it would not, and those of
 * the next page would wait for it.
 */
function leave(transaction) {
  transaction.commit?.();
}

/** A store in IndexedDB. */
export class IndexedDBStore {
  isDurable = true;

  /** @param {object} [tables] those of `TABLES` that it has */
  constructor(name, factory = globalThis.indexedDB, tables = TABLES) {
    Object.assign(this, { name, factory, tables });
  }

  /**
   * @param {(reason: object) => void} onTaken called when a newer page needs the database, or somebody deletes it
   * @param {object[]} [entries] what the outbox of a new database begins with
   */
  async open(onTaken = () => {}, entries = []) {
    const request = this.factory.open(this.name, SCHEMA);
    request.onupgradeneeded = ({ oldVersion }) => {
      this.makeTables(request);
      if (oldVersion === 0) for (const entry of entries) request.transaction.objectStore("outbox").put(entry);
    };
    this.database = await this.opened(request);
    this.database.onversionchange = ({ newVersion }) => onTaken({ name: newVersion === null ? "deleted" : "versionchange" });
    this.database.onclose = () => onTaken({ name: "closed" });
    return this;
  }

  /** The tables and indexes that a database does not have yet: a new one, or one of an earlier version. */
  makeTables({ result: database, transaction }) {
    for (const [table, { key, indexes }] of Object.entries(this.tables)) {
      const isThere = database.objectStoreNames.contains(table);
      const place = isThere ? transaction.objectStore(table)
        : database.createObjectStore(table, { keyPath: only(key), autoIncrement: table === "outbox" });
      for (const [name, columns] of Object.entries(indexes))
        if (!place.indexNames.contains(name)) place.createIndex(name, only(columns), { unique: name === "key" });
    }
  }

  /** The open database. Pages of this library let go of it at once; one that sleeps, or has much to do, is not waited for. */
  opened(request) {
    return new Promise((resolve, reject) => {
      let timer;
      let isLate = false;
      request.onblocked = () => {
        timer ??= setTimeout(() => {
          isLate = true;
          reject(Object.assign(new Error("another page has the database open in an earlier version"), { name: "blocked" }));
        }, BLOCKED_MS);
      };
      request.onsuccess = () => {
        clearTimeout(timer);
        if (isLate) request.result.close();
        else resolve(request.result);
      };
      request.onerror = () => {
        clearTimeout(timer);
        reject(request.error);
      };
    });
  }

  async get(table, key) {
    const transaction = this.transaction(table);
    const asked = answered(transaction.objectStore(table).get(key));
    leave(transaction);
    return await asked ?? null;
  }

  /** All in one transaction: for a batch of events that is several times faster than one for each. */
  async rows(needs) {
    const transaction = this.transaction([...new Set(needs.map(([table]) => table))]);
    const pages = new Map();
    for (const [chat, { from, to }] of nearMessages(needs)) pages.set(chat, this.page(transaction, chat, from, to));
    const rows = Promise.all(needs.map(async ([table, key, after]) => {
      const place = transaction.objectStore(table);
      if (after !== undefined) return answered(place.getAll(globalThis.IDBKeyRange.bound([key, after + 1], [key, []]), LATER_MAX));
      const page = table === "messages" && pages.get(key[0]);
      return (page ? (await page).get(key[1]) : await answered(place.get(key))) ?? null;
    }));
    leave(transaction);
    return rows;
  }

  /** The messages of a chat from one number to another, by number. */
  async page(transaction, chat, from, to) {
    const rows = await answered(transaction.objectStore("messages").getAll(globalThis.IDBKeyRange.bound([chat, from], [chat, to])));
    return new Map(rows.map(row => [row.n, row]));
  }

  async range(table, { index, is, from, to, reverse = false, limit = Infinity }) {
    const columns = columnsOf(table, index);
    const source = this.transaction(table).objectStore(table);
    const place = index ? source.index(index) : source;
    const bounds = keyRange(columns, { is, from, to });
    if (!reverse) {
      const asked = answered(place.getAll(bounds, limit === Infinity ? undefined : limit));
      leave(source.transaction);
      return asked;
    }
    const rows = [];
    const request = place.openCursor(bounds, "prev");
    return new Promise((resolve, reject) => {
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const cursor = request.result;
        if (!cursor || rows.length >= limit) return resolve(rows);
        rows.push(cursor.value);
        if (rows.length >= limit) return resolve(rows);
        cursor.continue();
      };
    });
  }

  async write(changes, { durable = false, leader } = {}) {
    const transaction = this.database.transaction(Object.keys(this.tables), "readwrite", { durability: durable ? "strict" : "relaxed" });
    const orders = {};
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(orders);
      transaction.onabort = () => reject(transaction.error ?? new LeaderLost());
    });
    try {
      const table = name => transaction.objectStore(name);
      if (leader !== undefined && (await answered(table("meta").get("leader")))?.value !== leader) transaction.abort();
      else {
        for (const change of changes) await applyChange(change, table, orders);
        leave(transaction);
      }
    } catch (error) {
      try {
        transaction.abort();
      } catch { /* it has aborted itself */ }
      await done.catch(cause => {
        throw cause instanceof LeaderLost ? error : cause;
      });
    }
    return done;
  }

  async all() {
    const transaction = this.transaction(Object.keys(this.tables));
    const tables = Object.keys(this.tables).map(async name => [name, await answered(transaction.objectStore(name).getAll())]);
    return Object.fromEntries(await Promise.all(tables));
  }

  async close() {
    this.database?.close();
  }

  async destroy() {
    this.database?.close();
    await answered(this.factory.deleteDatabase(this.name));
  }

  transaction(tables) {
    return this.database.transaction(tables, "readonly");
  }
}

/** The chats of which many messages are needed whose numbers are near each other: one read of them all is faster. */
function nearMessages(needs) {
  const spans = new Map();
  for (const [table, key, after] of needs) {
    if (table !== "messages" || after !== undefined) continue;
    const [chat, n] = key;
    const { count, from, to } = spans.get(chat) ?? { count: 0, from: n, to: n };
    spans.set(chat, { count: count + 1, from: Math.min(from, n), to: Math.max(to, n) });
  }
  return [...spans].filter(([, { count, from, to }]) => count >= NEAR_MIN && to - from < 2 * count);
}

function keyRange(columns, { is, from, to }) {
  const { IDBKeyRange } = globalThis;
  if (columns.length === 2) {
    if (is === undefined) return null;
    // A list is greater than every number and text.
    return IDBKeyRange.bound([is, from ?? -Infinity], [is, to ?? []]);
  }
  if (is !== undefined) return IDBKeyRange.only(is);
  if (from !== undefined && to !== undefined) return from <= to ? IDBKeyRange.bound(from, to) : IDBKeyRange.bound(from, from, true, false);
  if (from !== undefined) return IDBKeyRange.lowerBound(from);
  return to === undefined ? null : IDBKeyRange.upperBound(to);
}

/** Puts and deletions are not waited for: the transaction's end tells of them all. */
async function applyChange(change, table, orders) {
  const [kind] = Object.keys(change);
  const value = change[kind];
  switch (kind) {
  case "put": return void table(value[0]).put(value[1]);
  case "delete": return void table(value[0]).delete(value[1]);
  case "clear": return void table(value).clear();
  case "deleteMessages":
    return void table("messages").delete(globalThis.IDBKeyRange.bound([value, -Infinity], [value, change.below ?? []], false, true));
  case "moveMessages": {
    const range = globalThis.IDBKeyRange.bound([value[0], -Infinity], [value[0], []]);
    const rows = await answered(table("messages").getAll(range));
    table("messages").delete(range);
    for (const row of rows) table("messages").put({ ...row, chat: value[1] });
    return;
  }
  case "keepEntry": {
    const order = value.order ?? await answered(table("outbox").index("key").getKey(value.key));
    const { order: _, ...entry } = value;
    orders[value.key] = await answered(table("outbox").put(order === undefined ? entry : { ...entry, order }));
    return;
  }
  case "removeEntry": {
    const order = await answered(table("outbox").index("key").getKey(value));
    if (order !== undefined) table("outbox").delete(order);
  }
  }
}
