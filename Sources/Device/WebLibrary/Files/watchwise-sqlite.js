// The store in a file of SQLite: by node:sqlite, which Node has from version 22.5 on, or by another SQLite that an application
// gives, as in React Native. Loaded only where a file is asked for, so browsers do not get it. It stands alone: what it shares
// with the other stores it is given. Node's modules are asked for by a call, because bundlers follow imports.

/** How long a process waits for the one before it to end. */
const BUSY_MS = 2000;
const SQLITE_BUSY = 5;

/** The SQLite of Node as the store speaks to it. */
class NodeDatabase {
  constructor(path) {
    const { DatabaseSync } = builtIn("node:sqlite");
    Object.assign(this, { path, database: new DatabaseSync(path), statements: new Map() });
  }

  exec(sql) {
    this.database.exec(sql);
  }

  query(sql, values) {
    let statement = this.statements.get(sql);
    if (!statement) this.statements.set(sql, statement = this.database.prepare(sql));
    return statement.all(...values);
  }

  close() {
    this.database.close();
  }
}

function builtIn(name) {
  const found = globalThis.process?.getBuiltinModule?.(name);
  if (!found) throw new Error(`a store in a file needs ${name}, which Node has from version 22.5 on`);
  return found;
}

/** A store in a file of SQLite. Rows are JSON; the columns of keys and indexes stand beside them. */
export class SQLiteStore {
  isDurable = true;

  /**
   * @param {string | object} place the path of a file in Node, or a database of the application:
   *   `{exec(sql), query(sql, values), close(), destroy?()}`, all of which do their work at once; `query` returns rows as objects
   * @param {object} [terms] what store.js exports: `SCHEMA`, `TABLES`, `columnsOf`, `LeaderLost`; the library sets them
   */
  constructor(place, terms) {
    Object.assign(this, { place, terms, database: null });
  }

  async open() {
    const { SCHEMA, TABLES } = this.terms;
    this.database = typeof this.place === "string" ? new NodeDatabase(this.place) : this.place;
    this.lock();
    const [{ user_version: version }] = this.run("PRAGMA user_version", []);
    if (version > SCHEMA) {
      await this.close();
      throw Object.assign(new Error(`the store has schema ${version}, this library ${SCHEMA}`), { name: "VersionError" });
    }
    for (const [table, { key, indexes }] of Object.entries(TABLES)) {
      const columns = [...new Set([...key, ...Object.values(indexes).flat()])];
      const isAscending = table === "outbox";
      const constraint = column => isAscending && column === "order" ? " INTEGER PRIMARY KEY AUTOINCREMENT" : key.includes(column) ? " NOT NULL" : "";
      const declared = columns.map(column => `"${column}"${constraint(column)}`);
      const primary = isAscending ? "" : `, PRIMARY KEY (${key.map(quoted)})`;
      this.database.exec(`CREATE TABLE IF NOT EXISTS ${table} (${declared}, row TEXT NOT NULL${primary})`);
      for (const [name, columns] of Object.entries(indexes))
        this.database.exec(`CREATE ${name === "key" ? "UNIQUE " : ""}INDEX IF NOT EXISTS ${table}_${name} ON ${table} (${columns.map(quoted)})`);
    }
    this.database.exec(`PRAGMA user_version=${SCHEMA}`);
    return this;
  }

  /** One process at a time: two would send each other's writes. The system frees the file when the process ends. */
  lock() {
    try {
      this.database.exec(`PRAGMA busy_timeout=${BUSY_MS}; PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; BEGIN IMMEDIATE; COMMIT`);
    } catch (error) {
      this.database.close();
      this.database = null;
      throw error.errcode === SQLITE_BUSY ? Object.assign(new Error(`another process, or this one, has opened ${this.name}`), { code: "in-use" }) : error;
    }
  }

  get name() {
    return typeof this.place === "string" ? this.place : "the store";
  }

  async get(table, key) {
    return this.read(table, key);
  }

  read(table, key) {
    const [row] = this.run(`SELECT row FROM ${table} WHERE ${this.terms.TABLES[table].key.map(column => `"${column}"=?`).join(" AND ")}`, [key].flat());
    return row ? JSON.parse(row.row) : null;
  }

  async range(table, { index, is, from, to, reverse = false, limit = -1 }) {
    const columns = this.terms.columnsOf(table, index);
    const last = quoted(columns.at(-1));
    const wanted = [[is, `${quoted(columns[0])}=?`], [from, `${last}>=?`], [to, `${last}<=?`]].filter(([value]) => value !== undefined);
    const where = ["1", ...wanted.map(([, condition]) => condition)].join(" AND ");
    const order = [...new Set([...columns, ...this.terms.TABLES[table].key])].map(column => `${quoted(column)} ${reverse ? "DESC" : "ASC"}`);
    const sql = `SELECT row FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT ?`;
    return this.run(sql, [...wanted.map(([value]) => value), limit === Infinity ? -1 : limit]).map(({ row }) => JSON.parse(row));
  }

  async write(changes, { durable = false, leader } = {}) {
    const orders = {};
    this.database.exec(`PRAGMA synchronous=${durable ? "FULL" : "NORMAL"}`);
    // Nothing is awaited before the end: another write would find itself in this transaction.
    this.database.exec("BEGIN IMMEDIATE");
    try {
      if (leader !== undefined && this.read("meta", "leader")?.value !== leader) throw new this.terms.LeaderLost();
      for (const change of changes) this.apply(change, orders);
      this.database.exec("COMMIT");
    } catch (error) {
      this.database.exec("ROLLBACK");
      throw error;
    }
    return orders;
  }

  apply(change, orders) {
    const [kind] = Object.keys(change);
    const value = change[kind];
    switch (kind) {
    case "put": return this.put(...value);
    case "delete": {
      const conditions = this.terms.TABLES[value[0]].key.map(column => `"${column}"=?`).join(" AND ");
      return void this.run(`DELETE FROM ${value[0]} WHERE ${conditions}`, [value[1]].flat());
    }
    case "clear": return void this.run(`DELETE FROM ${value}`, []);
    case "deleteMessages": return void this.run("DELETE FROM messages WHERE chat=? AND n<?", [value, change.below ?? Number.MAX_SAFE_INTEGER]);
    case "moveMessages": {
      const rows = this.run("SELECT row FROM messages WHERE chat=?", [value[0]]);
      this.run("DELETE FROM messages WHERE chat=?", [value[0]]);
      for (const { row } of rows) this.put("messages", { ...JSON.parse(row), chat: value[1] });
      return;
    }
    case "keepEntry": {
      const order = value.order ?? this.run("SELECT \"order\" FROM outbox WHERE key=?", [value.key])[0]?.order
        ?? this.run("INSERT INTO outbox (key, row) VALUES (?, '{}') RETURNING \"order\"", [value.key])[0].order;
      orders[value.key] = order;
      return this.put("outbox", { ...value, order });
    }
    case "removeEntry": return void this.run("DELETE FROM outbox WHERE key=?", [value]);
    }
  }

  put(table, row) {
    const { key, indexes } = this.terms.TABLES[table];
    const columns = [...new Set([...key, ...Object.values(indexes).flat()])];
    const sql = `INSERT OR REPLACE INTO ${table} (${columns.map(quoted)}, row) VALUES (${columns.map(() => "?")}, ?)`;
    this.run(sql, [...columns.map(column => row[column] ?? null), JSON.stringify(row)]);
  }

  async all() {
    const rowsOfTable = table => this.run(`SELECT row FROM ${table}`, []).map(({ row }) => JSON.parse(row));
    return Object.fromEntries(Object.keys(this.terms.TABLES).map(table => [table, rowsOfTable(table)]));
  }

  async close() {
    const { database } = this;
    this.database = null;
    database?.close();
  }

  async destroy() {
    await this.close();
    if (typeof this.place !== "string") return void await this.place.destroy?.();
    const { rm } = builtIn("node:fs/promises");
    for (const end of ["", "-wal", "-shm"]) await rm(this.place + end, { force: true });
  }

  run(sql, values) {
    if (!this.database) throw new Error("the store is closed");
    return this.database.query(sql, values);
  }
}

function quoted(column) {
  return `"${column}"`;
}
