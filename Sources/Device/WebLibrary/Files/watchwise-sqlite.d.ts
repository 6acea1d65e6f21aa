// Types of watchwise-sqlite.js: a store in a file of SQLite, by Node or by a database of the application.

import { Store } from "./watchwise.js";

/** A SQLite that does its work at once. One process, and one store, has a file at a time. */
export interface Database {
  /** Executes statements that return no rows. */
  exec(sql: string): unknown;
  /** Executes one statement, and returns its rows as objects; none where it returns none. */
  query(sql: string, values: any[]): any[];
  close(): unknown;
  /** Deletes the file, after `close`. */
  destroy?(): unknown;
}

/** To be given as `storage`. */
export class SQLiteStore implements Store {
  constructor(place: string | Database, terms?: unknown);
  readonly isDurable: boolean;
  terms: unknown;
  open: Store["open"];
  get: Store["get"];
  range: Store["range"];
  write: Store["write"];
  all: Store["all"];
  close: Store["close"];
  destroy: Store["destroy"];
}
