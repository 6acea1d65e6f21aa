import { LeaderLost, TABLES, columnsOf } from "./store.js";
// A store in memory: for Node without a file, for private windows, and when the disk refuses.

/** React Native has no other way to copy rows, which are JSON. */
const clone = globalThis.structuredClone ?? (rows => JSON.parse(JSON.stringify(rows)));

/** Compares keys as IndexedDB does: numbers before texts, lists member by member. */
function compareKeys(one, other) {
  if (Array.isArray(one)) {
    for (let place = 0; place < one.length; place++) {
      const order = compareKeys(one[place], other[place]);
      if (order !== 0) return order;
    }
    return 0;
  }
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Rows as they were given: nobody changes a row that a store has. */
export class MemoryStore {
  isDurable = false;

  async open() {
    this.tables = Object.fromEntries(Object.keys(TABLES).map(name => [name, new Map()]));
    this.lastOrder = 0;
    return this;
  }

  /** Takes all rows of another store. */
  fill(rows) {
    for (const [table, list] of Object.entries(rows)) for (const row of list) this.put(table, row);
    this.lastOrder = Math.max(this.lastOrder, ...(rows.outbox ?? []).map(entry => entry.order));
  }

  async get(table, key) {
    return this.tables[table].get(JSON.stringify([key].flat())) ?? null;
  }

  async range(table, { index, is, from, to, reverse = false, limit = Infinity }) {
    const columns = columnsOf(table, index);
    const last = columns.at(-1);
    const rows = [...this.tables[table].values()].filter(row => columns.every(column => row[column] !== undefined)
      && (is === undefined || row[columns[0]] === is)
      && (from === undefined || compareKeys(row[last], from) >= 0) && (to === undefined || compareKeys(row[last], to) <= 0));
    const keyOf = row => [...columns, ...TABLES[table].key].map(column => row[column]);
    rows.sort((one, other) => compareKeys(keyOf(one), keyOf(other)) * (reverse ? -1 : 1));
    return rows.slice(0, limit);
  }

  async write(changes, { leader } = {}) {
    if (leader !== undefined && this.tables.meta.get('["leader"]')?.value !== leader) throw new LeaderLost();
    const orders = {};
    for (const change of clone(changes)) this.apply(change, orders);
    return orders;
  }

  apply(change, orders) {
    const [kind] = Object.keys(change);
    const value = change[kind];
    switch (kind) {
    case "put": return this.put(...value);
    case "delete": return void this.tables[value[0]].delete(JSON.stringify([value[1]].flat()));
    case "clear": return this.tables[value].clear();
    case "deleteMessages": return this.eachMessage(value, row => row.n >= (change.below ?? Infinity) ? row : null);
    case "moveMessages": return this.eachMessage(value[0], row => ({ ...row, chat: value[1] }));
    case "keepEntry": {
      const order = value.order ?? this.entry(value.key)?.order ?? (this.lastOrder += 1);
      orders[value.key] = order;
      return this.put("outbox", { ...value, order });
    }
    case "removeEntry": return void this.tables.outbox.delete(JSON.stringify([this.entry(value)?.order]));
    }
  }

  put(table, row) {
    this.tables[table].set(JSON.stringify(TABLES[table].key.map(column => row[column])), row);
  }

  entry(key) {
    for (const entry of this.tables.outbox.values()) if (entry.key === key) return entry;
  }

  /** Each message of a chat becomes another, or goes. */
  eachMessage(chat, replaced) {
    for (const [name, row] of [...this.tables.messages]) {
      if (row.chat !== chat) continue;
      this.tables.messages.delete(name);
      const after = replaced(row);
      if (after) this.put("messages", after);
    }
  }

  async all() {
    return Object.fromEntries(Object.entries(this.tables).map(([table, rows]) => [table, [...rows.values()]]));
  }

  async close() {}

  async destroy() {
    await this.open();
  }
}
