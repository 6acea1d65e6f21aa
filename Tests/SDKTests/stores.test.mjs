// The stores of Node: the one suite over memory and SQLite, and how a store goes on that fails.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as terms from "../../Sources/Device/WebLibrary/Files/store.js";
import { MemoryStore } from "../../Sources/Device/WebLibrary/Files/store-memory.js";
import * as late from "../../Sources/Device/WebLibrary/Files/watchwise-writes.js";
import { SQLiteStore } from "../../Sources/Device/WebLibrary/Files/watchwise-sqlite.js";
import { suite } from "./store-suite.mjs";

const { LastingStore } = terms;
const part = async () => late;
const folder = mkdtempSync(join(tmpdir(), "watchwise-stores-"));
after(() => rmSync(folder, { recursive: true }));
const hasSQLite = await import("node:sqlite").then(() => true, () => false);
let files = 0;

for (const [name, check] of Object.entries(suite)) {
  test(`memory: ${name}`, async () => check(await new MemoryStore().open(), async () => null));
  test(`SQLite: ${name}`, { skip: !hasSQLite && "this Node has no node:sqlite" }, async () => {
    const path = join(folder, `store-${++files}.db`);
    await check(await new SQLiteStore(path, terms).open(), async store => {
      await store.close();
      return new SQLiteStore(path, terms).open();
    });
  });
}

test("SQLite: a store of tomorrow is not opened, and not changed", { skip: !hasSQLite }, async () => {
  const path = join(folder, "tomorrow.db");
  await (await new SQLiteStore(path, terms).open()).close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version=99");
  database.close();
  await assert.rejects(new SQLiteStore(path, terms).open(), { name: "VersionError" });
  const events = [];
  const store = await new LastingStore(new SQLiteStore(path, terms), part, event => events.push(event)).open();
  await store.write([{ put: ["meta", { name: "a", value: 1 }] }]);
  assert.equal((await store.get("meta", "a")).value, 1);
  assert.deepEqual(events, [{ state: "outdated", reason: "VersionError" }]);
});

test("SQLite: a file has one user, who may be killed", { skip: !hasSQLite }, async () => {
  const path = join(folder, "one.db");
  const first = await new SQLiteStore(path, terms).open();
  await assert.rejects(new SQLiteStore(path, terms).open(), { code: "in-use" });
  const another = `import("${new URL("../../Sources/Device/WebLibrary/Files/watchwise-sqlite.js", import.meta.url)}").then(async ({ SQLiteStore }) => {
    const store = await new SQLiteStore(${JSON.stringify(path)}, await import("${new URL("../../Sources/Device/WebLibrary/Files/store.js", import.meta.url)}")).open();
    await store.write([{ put: ["topics", { topic: "a:1" }] }], { durable: true });
    process.kill(process.pid, "SIGKILL");
  }).catch(error => { console.log(error.code); process.exit(3); })`;
  const run = () => spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "--eval", another], { encoding: "utf8" });
  assert.equal(run().stdout, "in-use\n");
  await first.close();
  assert.equal(run().signal, "SIGKILL");
  const last = await new SQLiteStore(path, terms).open();
  assert.deepEqual(await last.range("topics", {}), [{ topic: "a:1" }]);
  await last.close();
  const lasting = new LastingStore({ isDurable: true, open: async () => Promise.reject(Object.assign(new Error("x"), { code: "in-use" })) }, part, () => assert.fail());
  await assert.rejects(lasting.open(), { name: "WatchWiseError", kind: "storage", code: "in-use" });
});

/** A store that fails as often as it is told. */
class Failing extends MemoryStore {
  isDurable = true;
  failures = 0;
  name = "QuotaExceededError";
  async write(changes, options) {
    if (this.failures-- > 0) throw Object.assign(new Error("no"), { name: this.name });
    return super.write(changes, options);
  }
}

async function lasting(failures, name) {
  const events = [];
  const inner = new Failing();
  const store = await new LastingStore(inner, part, event => events.push(event)).open();
  await store.write([{ put: ["meta", { name: "before", value: 1 }] }]);
  Object.assign(inner, { failures, ...(name && { name }) });
  return { store, events };
}

test("a store without room that finds room after a trim stays", async () => {
  const { store, events } = await lasting(1);
  await store.write([{ put: ["meta", { name: "a", value: 2 }] }]);
  assert.equal(store.isDurable, true);
  assert.deepEqual(events, []);
});

test("a store without room goes on in memory with what it had, and says so once", async () => {
  const { store, events } = await lasting(9);
  await Promise.all([1, 2, 3].map(value => store.write([{ put: ["meta", { name: `a${value}`, value }] }])));
  assert.equal((await store.get("meta", "before")).value, 1);
  assert.equal((await store.get("meta", "a3")).value, 3);
  assert.equal(store.isDurable, false);
  assert.deepEqual(events, [{ state: "memory", reason: "QuotaExceededError" }]);
});

test("a store that was taken away goes on in memory", async () => {
  const { store, events } = await lasting(1, "InvalidStateError");
  await store.write([{ put: ["meta", { name: "a", value: 2 }] }]);
  assert.equal((await store.get("meta", "a")).value, 2);
  assert.deepEqual(events, [{ state: "memory", reason: "InvalidStateError" }]);
});
