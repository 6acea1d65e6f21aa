// Lists that are patched: whatever happens, each is what a list would be that reads everything anew; and the steps that are
// said lead there. Chance makes events, pages, resets, trims and waiting writes, in one tab and in two, over the stores of Node.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chatOf } from "../../Sources/Device/WebLibrary/Files/layers.js";
import { overlaid } from "../../Sources/Device/WebLibrary/Files/overlay.js";
import { trimStore } from "../../Sources/Device/WebLibrary/Files/trimming.js";
import { WatchWise } from "../../Sources/Device/WebLibrary/Files/watchwise.js";
import { Locks, SharedDatabase, becomePage } from "./page.mjs";
import { randomOf } from "./seeds.mjs";

const SEEDS = process.env.SDK_WHOLE ? 400 : 40;
const STEPS = 60;
const folder = mkdtempSync(join(tmpdir(), "watchwise-lists-"));
after(() => rmSync(folder, { recursive: true }));
const hasSQLite = await import("node:sqlite").then(() => true, () => false);
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

const CHATS = ["alice:bob", "alice:carol", "alice:dora", "room:1", "room:2"];
const TOPICS = ["person:1", "person:2", "user:bob", "user:carol", "x:1", "x:2"];
const COLLECTION = "users/alice/tasks";
const PATHS = [1, 2, 3, 4, 5, 6, 7].map(id => `${COLLECTION}/${id}`);
const byText = (one, other) => one < other ? -1 : 1;
const newestFirst = key => (one, other) => other.seq - one.seq || -byText(one[key], other[key]);

/** The items of a list when all is read: rows of the whole store, none of the windows or patches of the library. */
async function readAnew({ core }, { kind, chat, window, about, loaded }) {
  const rows = await core.store.all();
  const { context } = about ?? loaded;
  const { entries } = core;
  const { limit } = window ?? {};
  const first = (list, order) => list.sort(order).slice(0, limit);
  const listed = (list, order) => {
    const shown = first(list, order);
    const end = list.length > limit ? shown.at(-1)?.[window.key] : undefined;
    return overlaid(kind, shown, entries, { user: "alice", ...context, end });
  };
  const value = name => rows.meta.find(row => row.name === name)?.value;
  const seenUpTo = value("seenUpTo") ?? 0;
  switch (kind) {
  case "messages": {
    const own = rows.messages.filter(row => row.chat === chat).sort((one, other) => one.n - other.n);
    return overlaid("messages", limit === Infinity ? own : own.slice(-limit), entries, { user: "alice", chat });
  }
  case "chats": {
    // A chat that was written to is shown with all that is known of it, also beyond the window.
    const sent = new Set(entries.filter(({ command, state }) => command.type === "send" && state !== "failed").map(({ command }) => chatOf(command, "alice")));
    const own = rows.chats.sort(newestFirst("chat"));
    return overlaid("chats", own.filter((row, index) => index < limit || sent.has(row.chat)), entries, { user: "alice" });
  }
  case "inbox": return overlaid("inbox", first(rows.inbox, newestFirst("id")), entries, { ...context, seenUpTo });
  case "topics": return listed(rows.topics, (one, other) => byText(one.topic, other.topic));
  case "documents": return listed(rows.documents.filter(({ collection }) => collection === COLLECTION), (one, other) => byText(one.path, other.path));
  case "invitations": return overlaid("invitations", value("invitations") ?? [], entries, context);
  case "preferences": return [overlaid("preferences", value("preferences") ?? {}, entries)];
  case "unread": {
    const [chats, inbox] = [rows.chats.sort(newestFirst("chat")), rows.inbox.sort(newestFirst("id"))];
    return [overlaid("unread", value("unread") ?? { chats: 0, notifications: 0 }, entries, { user: "alice", chats, inbox, seenUpTo })];
  }
  }
}

/** Applies told steps to the items told before. */
function follow(items, changes) {
  const list = [...items];
  for (const { kind, from, index, item } of changes) {
    if (kind === "add") list.splice(index, 0, item);
    else if (kind === "remove") list.splice(index, 1);
    else if (kind === "change") list[index] = item;
    else list.splice(index, 0, ...list.splice(from, 1).map(() => item));
    assert.ok(index <= list.length);
  }
  return list;
}

/** A tab with lists of all kinds, each with a window that chance chose. */
class Watcher {
  constructor(ww, random) {
    Object.assign(this, { ww, core: ww.core, random, lists: [], problems: [] });
    const limits = [1, 2, 3, 5, 50, Infinity];
    for (const chat of CHATS) this.add(`messages of ${chat}`, (told, options) => ww.chat(chat).watch(told, options), limits);
    for (const name of ["chats", "inbox", "topics"]) this.add(name, (told, options) => ww[name].watch(told, options), limits);
    this.add("documents", (told, options) => ww.collection(COLLECTION).watch(told, options), limits);
    for (const name of ["invitations", "preferences", "unread"]) this.add(name, told => ww[name].watch(told), [0]);
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  add(name, watch, limits) {
    const list = { name, items: [], told: 0 };
    const told = ({ items, changes, hasMore }) => {
      try {
        if (list.told > 0 && !list.live.source.isSingle) assert.deepEqual(follow(list.items, changes), items, `the steps of ${name}`);
      } catch (error) {
        this.problems.push(error);
      }
      // A list that was handed out stays as it is.
      Object.assign(list, { items: Object.freeze(items), hasMore, told: list.told + 1 });
    };
    list.off = watch(told, { limit: this.pick(limits) });
    list.live = [...this.core.lists].at(-1);
    // The way of many changes, and that of few.
    if (list.live.source.shown) list.live.source.shown.bulkMin = this.pick([0, 2, 500]);
    this.lists.push(list);
  }

  get isQuiet() {
    return !this.core.engine?.batch.flushing
      && this.lists.every(({ live: { source, pace } }) => !source.isStale && !pace.isAsked && !pace.isRunning && !pace.timer);
  }

  async check() {
    if (this.problems.length) throw this.problems[0];
    for (const { name, items, hasMore, live } of this.lists) {
      assert.deepEqual(items, await readAnew(this, live.source), `${name}, window of ${live.source.window?.limit}`);
      const { window } = live.source;
      if (!window || live.source.kind === "messages") continue;
      const count = (await this.core.store.range(window.table, window.is ? { index: window.index, is: window.is } : {})).length;
      assert.equal(hasMore, count > window.limit, `${name} goes on`);
    }
  }
}

/** A server as far as lists see it, and an app that writes. */
class World {
  constructor(seed, tabs) {
    this.random = randomOf(seed);
    this.watchers = tabs.map(ww => new Watcher(ww, this.random));
    [this.leader] = tabs;
    this.engine = this.leader.core.engine;
    Object.assign(this.engine, { hello: { epoch: "e", seq: 0 }, offset: Date.now() - performance.now() });
    this.seq = 0;
    this.tops = new Map(CHATS.map(chat => [chat, 0]));
    this.ids = [];
  }

  chance(part) {
    return this.random() < part;
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  number(to) {
    return 1 + Math.floor(this.random() * to);
  }

  get anyTab() {
    return this.pick(this.watchers).ww;
  }

  /** An event; `key` is that of a write that waits, at times. */
  event(kind = this.number(21)) {
    const seq = this.seq += 1;
    const chat = this.pick(CHATS);
    const top = this.tops.get(chat);
    const n = this.number(Math.max(1, top));
    const other = chat.startsWith("room:") ? this.pick(["bob", "carol"]) : chat.split(":")[1];
    const id = this.pick(this.ids) ?? "n0";
    const at = "2026-11-29T12:00:00.000Z";
    const waiting = (...types) => this.leader.core.entries.find(({ command }) => types.includes(command.type) && (command.chat === chat || command.to === other && !chat.startsWith("room:")));
    switch (kind) {
    case 1: case 2: case 3: case 4: case 5: {
      const entry = this.chance(0.5) ? waiting("send") : undefined;
      const next = top + (this.chance(0.15) ? this.number(4) : 1);
      this.tops.set(chat, next);
      const from = entry || this.chance(0.2) ? "alice" : other;
      return { type: "message", seq, chat, n: next, from, at, text: `m${seq}`, ...(from === "alice" && { key: entry?.key ?? `own${seq}` }) };
    }
    case 6: return { type: "message.edited", seq, chat, n, from: other, text: `e${seq}`, rev: seq, editedAt: at, ...this.keyOf(waiting("edit")) };
    case 7: return { type: "message.deleted", seq, chat, n, rev: seq, by: "alice", ...this.keyOf(waiting("delete")) };
    case 8: return { type: "reaction", seq, chat, n, emoji: this.pick(["👍", "❤️"]), on: this.chance(0.7), user: this.pick(["alice", "bob"]), count: this.number(3) };
    case 9: return { type: "read", seq, chat, n, user: this.pick(["alice", other]), ...this.keyOf(waiting("read")) };
    case 10: return this.chance(0.5) ? { type: "archived", seq, chat, on: this.chance(0.5) } : { type: "delivered", seq, chat, n, user: other };
    case 11:
      if (this.chance(0.7)) return { type: "room", seq, chat: "room:1", change: "titled", user: "bob", room: { title: `t${seq}`, role: "member" } };
      this.tops.set("room:2", 0);
      return { type: "room", seq, chat: "room:2", change: "removed", user: "alice", room: {} };
    case 12: case 13: {
      this.ids.push(`n${seq}`);
      const expires = new Date(Date.now() + this.pick([-1000, 2, 5, 100_000])).toISOString();
      return { type: "notification", seq, id: `n${seq}`, title: `t${seq}`, body: "", data: {}, at, ...(this.chance(0.4) && { expires }) };
    }
    case 14: return this.chance(0.5) ? { type: "notification.seen", seq, ids: [id] } : { type: "notification.seen", seq, upTo: seq - this.number(20) };
    case 15: return this.chance(0.5) ? { type: "notification.edited", seq, id, title: `e${seq}`, body: "", data: {} } : { type: "notification.removed", seq, id };
    case 16: return { type: this.pick(["followed", "unfollowed"]), seq, topic: this.pick(TOPICS) };
    case 17: case 18: {
      const path = this.pick([...PATHS, `${COLLECTION}/1/parts/2`]);
      const entry = this.leader.core.entries.find(({ command }) => command.path === path);
      return { type: "document", seq, path, version: seq, data: this.chance(0.3) ? null : { a: seq }, ...this.keyOf(entry) };
    }
    case 19: return this.chance(0.5) ? { type: "preferences", seq, preferences: { a: seq } } : { type: "unread", chats: this.number(4), notifications: this.number(9) };
    case 21: {
      const [from, to] = this.tops.get("alice:dora") === 0 ? ["alice:carol", "alice:dora"] : ["alice:dora", "alice:carol"];
      if (this.tops.get(to) > 0) return this.event(1);  // it would be another chat
      this.tops.set(to, this.tops.get(from)).set(from, 0);
      return { type: "chat.renamed", seq, chat: from, to };
    }
    case 20:
      if (this.chance(0.5)) return { type: "room.invited", seq, chat: this.pick(["room:8", "room:9"]), title: "t", by: "bob", at, expires: "2100-01-01T00:00:00.000Z" };
      return { type: "room.uninvited", seq, chat: this.pick(["room:8", "room:9"]) };
    }
  }

  keyOf(entry) {
    return entry && this.chance(0.7) ? { key: entry.key } : {};
  }

  /** The app writes, in any tab. */
  write() {
    const ww = this.anyTab;
    const chat = ww.chat(this.pick(CHATS));
    const n = this.number(Math.max(1, this.tops.get(chat.id)) + 2);
    const id = this.pick(this.ids) ?? "n0";
    const document = ww.doc(this.pick(PATHS));
    switch (this.number(16)) {
    case 1: case 2: case 3: return chat.send(`w${this.seq}`);
    case 4: return chat.edit(n, `w${this.seq}`);
    case 5: return chat.delete(n);
    case 6: return chat.react(n, this.pick(["👍", "❤"]), this.chance(0.7));
    case 7: return chat.read(n);
    case 8: return chat.archive(this.chance(0.5));
    case 9: return ww.topics.follow(this.pick(TOPICS));
    case 10: return ww.topics.unfollow(this.pick(TOPICS));
    case 11: return ww.inbox.seen(this.chance(0.5) ? { ids: [id] } : { upTo: this.number(this.seq + 1) });
    case 12: return this.chance(0.5) ? ww.inbox.archive([id]) : ww.inbox.snooze([id], "2100-01-01T00:00:00.000Z");
    case 13: return document.put({ w: this.seq });
    case 14: return document.patch({ p: this.seq });
    case 15: return document.remove();
    case 16: return this.chance(0.5) ? ww.preferences.set({ p: this.seq }) : ww.invitations.accept(this.pick(["room:8", "room:9"]));
    }
  }

  message(chat, n) {
    return { chat, n, seq: n, from: this.pick(["alice", "bob"]), at: "t", text: `h${n}`, rev: 1, ...(this.chance(0.3) && { key: `old${chat}${n}` }) };
  }

  /** A page of a chat, as `history` answers. */
  history() {
    const chat = this.pick(CHATS);
    const before = this.number(this.tops.get(chat) + 1);
    const count = this.number(4);
    const first = Math.max(1, before - count);
    const messages = Array.from({ length: before - first }, (_, index) => this.message(chat, first + index));
    this.engine.batch.add({ history: { chat, messages, asked: { before, next: first > 1 ? `${first}` : undefined }, asOf: this.seq } });
  }

  /** The state was fetched anew. */
  reset() {
    const changes = ["chats", "messages", "inbox", "topics"].map(table => ({ clear: table }));
    for (const [chat, top] of this.tops) {
      if (top === 0 || this.chance(0.2)) continue;
      const last = this.message(chat, top);
      changes.push({ put: ["messages", { ...last, asOf: this.seq }] });
      changes.push({ put: ["chats", { chat, unread: 1, read: 0, peerRead: 0, muted: false, archived: false, delivered: 0, last, top, gaps: top > 1 ? [[1, top - 1]] : [], seq: this.chance(0.5) ? top : 0, asOf: this.seq }] });
    }
    for (const id of this.ids.slice(-5)) changes.push({ put: ["inbox", { id, seq: Number(id.slice(1)), title: "t", body: "", data: {}, seen: this.chance(0.5) }] });
    for (const topic of TOPICS) if (this.chance(0.5)) changes.push({ put: ["topics", { topic }] });
    changes.push({ put: ["meta", { name: "seenUpTo", value: 0 }] });
    this.engine.batch.replace({ replaced: changes, reached: { epoch: "e", seq: this.seq } });
  }

  async trim() {
    const { core } = this.leader;
    await this.engine.batch.exclusively(async () => {
      const bounds = { messagesOpened: this.number(6), messages: this.number(3), openedMs: 1e12, inbox: this.number(5), documentsMs: 0 };
      const { paths, changes } = await trimStore(core.store, Date.now(), { bounds, leader: this.engine.leader });
      core.trimmed(paths, changes);
    });
  }

  /** An app, a person or the server decides about a write. */
  async decide() {
    const { core } = this.leader;
    const entry = this.pick(core.entries);
    if (!entry) return;
    const kind = this.number(5);
    if (kind === 1) await this.anyTab.outbox.discard(entry.key);
    else if (kind === 2) await this.anyTab.outbox.retry(entry.key);
    else if (kind === 3) {
      this.engine.feed({ live: { time: Date.now() } });  // it is sent, and its answer gets lost
      this.engine.feed({ offline: true });
    } else {
      const item = this.engine.outbox.find(entry.key);
      if (!item || item.phase !== null || item.ok) return;
      if (kind === 4) this.engine.outbox.fail(item, { code: "forbidden", class: "permanent", message: "no" });
      else item.entry.state = "uncertain";
      this.engine.feed({ tick: true });
      core.changed(["outbox"]);
    }
  }

  async step() {
    const kind = this.random();
    if (kind < 0.45) {
      // At times many come together, at times all of one kind.
      const kind = this.chance(0.5) ? this.number(21) : undefined;
      for (let count = this.chance(0.3) ? this.number(12) : 1; count > 0; count--) this.engine.report_event(this.event(kind));
    } else if (kind < 0.7) this.write();
    else if (kind < 0.78) await this.decide();
    else if (kind < 0.83) this.history();
    else if (kind < 0.85) this.reset();
    else if (kind < 0.88) await this.trim();
    else if (kind < 0.93) this.pick(this.pick(this.watchers).lists).off.more(this.number(3));
    else if (kind < 0.95) this.leader.core.changed(["everything"]);
    else if (kind < 0.97) await pause(20);
    else await this.check();
  }

  async check() {
    for (let quiet = 0; quiet < (this.watchers.length > 1 ? 4 : 2);) {
      await this.engine.batch.stored();
      await pause(3);
      quiet = this.watchers.every(({ isQuiet }) => isQuiet) ? quiet + 1 : 0;
    }
    // News go from one tab to another when the machine has time for it.
    for (const end = Date.now() + (this.watchers.length > 1 ? 2000 : 0);; await pause(20)) {
      try {
        for (const watcher of this.watchers) await watcher.check();
        return;
      } catch (error) {
        if (Date.now() >= end) throw error;
      }
    }
  }
}

async function run(seed, open) {
  const tabs = await open();
  while (!tabs[0].core.engine) await pause(1);
  const world = new World(seed, tabs);
  try {
    for (let step = 0; step < STEPS; step++) await world.step();
    await world.check();
  } catch (error) {
    error.message = `seed ${seed}: ${error.message}`;
    throw error;
  } finally {
    for (const tab of tabs) await tab.close();
  }
}

class Silent {
  close() {}
}
const options = { server: "http://127.0.0.1:1", user: "alice", token: async () => "", connect: false, webSocket: Silent, batchMs: 1 };

test(`${SEEDS} seeds of one tab with a store in memory`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) await run(seed, async () => [await WatchWise.open({ ...options, storage: "memory" })]);
});

test(`${SEEDS / 2} seeds of one tab with a file`, { skip: !hasSQLite && "this Node has no node:sqlite" }, async () => {
  for (let seed = 1; seed <= SEEDS / 2; seed++) await run(1000 + seed, async () => [await WatchWise.open({ ...options, storage: join(folder, `${seed}.db`) })]);
});

test(`${SEEDS / 4} seeds of two tabs, of which one follows`, async () => {
  for (let seed = 1; seed <= SEEDS / 4; seed++) {
    const leavePage = becomePage();
    const [locks, database] = [new Locks(), new SharedDatabase()];
    await run(2000 + seed, async () => {
      const open = () => WatchWise.open({ ...options, locks, storage: database.tab() });
      const first = await open();
      while (!first.core.engine) await pause(1);
      return [first, await open()];
    });
    leavePage();
  }
});

const CHAT = "alice:bob";
const message = n => ({ chat: CHAT, n, seq: n, from: n % 2 ? "alice" : "bob", ...(n % 2 && { key: `key${n}` }), text: `message number ${n}`, rev: 1 });

/** A library without a connection, with a chat of this number of messages. */
async function filled(count, more = {}) {
  const ww = await WatchWise.open({ ...options, storage: "memory", ...more });
  while (!ww.core.engine) await pause(1);
  ww.core.engine.hello = { epoch: "e", seq: 0 };
  await ww.core.store.write([
    ...Array.from({ length: count }, (_, index) => ({ put: ["messages", message(index + 1)] })),
    { put: ["chats", { chat: CHAT, with: "bob", unread: 0, read: 0, peerRead: 0, delivered: 0, top: count, gaps: [], seq: count }] },
  ]);
  return ww;
}

/** A list as it was shown last, and how often it was. */
function shown(list, watched) {
  const seen = { items: [], changes: [], count: 0 };
  seen.list = list.watch(snapshot => Object.assign(seen, snapshot, { count: seen.count + 1 }), watched);
  return seen;
}

async function until(check) {
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(5)) if (await check()) return;
  throw new Error(`never: ${check}`);
}

/** Notes which rows are read of a store. */
function noteReads(core) {
  const reads = [];
  const { store } = core.store;
  for (const name of ["get", "range", "rows"]) {
    const real = store[name]?.bind(store);
    if (real) store[name] = (...about) => {
      reads.push([name, ...about]);
      return real(...about);
    };
  }
  return reads;
}

test("one message more in a list of 100,000 reads one row, and makes one item", async () => {
  const ww = await filled(100_000);
  const list = shown(ww.chat(CHAT), { limit: Infinity });
  await until(() => list.items.length === 100_000);
  const reads = noteReads(ww.core);
  const before = list.items;
  for (const n of [100_001, 100_002, 100_003]) {
    await pause(40);
    reads.length = 0;
    ww.core.engine.report_event({ type: "message", ...message(n) });
    await until(() => list.items.length === n);
    assert.deepEqual(list.changes.map(({ kind, index, item }) => [kind, index, item.n]), [["add", n - 1, n]]);
    assert.ok(before.every((item, index) => list.items[index] === item), "all others are the same objects");
    assert.deepEqual(reads.filter(([name]) => name === "range"), []);
    assert.ok(reads.filter(([, table]) => table === "messages").length <= 2, JSON.stringify(reads));  // the batch's, and the list's
  }
  // A reaction to an old one beside a new one, and a write that waits.
  await pause(40);
  ww.core.engine.report_event({ type: "reaction", seq: 200_000, chat: CHAT, n: 5, emoji: "👍", on: true, user: "bob", count: 1 });
  ww.core.engine.report_event({ type: "message", ...message(100_004) });
  await until(() => list.items.length === 100_004);
  assert.deepEqual(list.changes.map(({ kind, item }) => [kind, item.n]), [["change", 5], ["add", 100_004]]);
  await pause(40);
  reads.length = 0;
  ww.chat(CHAT).edit(7, "another text");
  await until(() => list.items[6].pending);
  assert.deepEqual(list.changes.map(({ kind, item }) => [kind, item.text]), [["change", "another text"]]);
  assert.deepEqual(reads, []);
  await ww.close();
});

test("a window shows more when it is asked for, and says when there is no more", async () => {
  const ww = await filled(120);
  await ww.core.store.write([
    ...Array.from({ length: 9 }, (_, index) => ({ put: ["topics", { topic: `person:${index}` }] })),
    ...PATHS.map(path => ({ put: ["documents", { path, collection: COLLECTION, version: 1, seq: 1, data: {} }] })),
    ...Array.from({ length: 7 }, (_, index) => ({ put: ["inbox", { id: `n${index}`, seq: index, seen: false }] })),
    ...Array.from({ length: 7 }, (_, index) => ({ put: ["chats", { chat: `room:${index}`, unread: 0, read: 0, top: 0, gaps: [], seq: 0 }] })),
  ]);
  const list = shown(ww.chat(CHAT), { limit: 50 });
  await until(() => list.items.length === 50);
  assert.deepEqual([list.items[0].n, list.hasMore], [71, true]);
  list.list.more(50);
  await until(() => list.items.length === 100);
  assert.deepEqual([list.items[0].n, list.hasMore, list.changes.length], [21, true, 50]);
  list.list.more();
  await until(() => list.items.length === 120);
  assert.deepEqual([list.items[0].n, list.hasMore], [1, false]);
  for (const [name, about] of [["topics", ww.topics], ["documents", ww.collection(COLLECTION)], ["inbox", ww.inbox], ["chats", ww.chats]]) {
    const other = shown(about, { limit: 3 });
    await until(() => other.items.length === 3);
    assert.equal(other.hasMore, true, name);
    const first = other.items;
    other.list.more(2);
    await until(() => other.items.length === 5);
    assert.deepEqual(other.items.slice(0, 3), first, name);
    other.list.more(100);
    await until(() => !other.hasMore);
    const count = other.items.length;
    assert.ok(count >= 7, `${name}: ${count}`);
    other.list();
    other.list.more(1);  // it has ended
  }
  const ended = ww.chats.watch(() => {}, { signal: AbortSignal.abort() });
  ended.more(1);
  await ww.close();
});

test("a write beyond the end of a window is shown when the window reaches it", async () => {
  const ww = await filled(1);
  await ww.core.store.write(PATHS.map(path => ({ put: ["documents", { path, collection: COLLECTION, version: 1, seq: 1, data: { a: 1 } }] })));
  const list = shown(ww.collection(COLLECTION), { limit: 3 });
  await until(() => list.items.length === 3);
  ww.doc(PATHS[5]).patch({ b: 2 });
  ww.doc(`${COLLECTION}/15`).put({ c: 3 });  // between 1 and 2
  await until(() => list.items.length === 4);
  assert.deepEqual(list.items.map(({ path }) => path.slice(COLLECTION.length + 1)), ["1", "15", "2", "3"]);
  list.list.more(9);
  await until(() => list.items.length === 8);
  assert.deepEqual(list.items.find(({ path }) => path === PATHS[5]).data, { a: 1, b: 2 });
  await ww.close();
});

test("a row that goes makes room for the next one of the store, whatever else came with it", async () => {
  const ww = await filled(1);
  await ww.core.store.write([1, 2, 3, 4, 5].map(id => ({ put: ["topics", { topic: `person:${id}` }] })));
  const list = shown(ww.topics, { limit: 3 });
  await until(() => list.items.length === 3);
  for (const [type, id] of [["followed", 9], ["unfollowed", 1], ["followed", 8]]) ww.core.engine.report_event({ type, seq: 10 + id, topic: `person:${id}` });
  await until(() => list.items[0].topic === "person:2");
  assert.deepEqual(list.items.map(({ topic }) => topic), ["person:2", "person:3", "person:4"]);
  assert.equal(list.hasMore, true);
  await ww.close();
});

test("changes that come together are shown together: at once, then once for a frame", async () => {
  const ww = await filled(3);
  const list = shown(ww.chat(CHAT));
  await until(() => list.items.length === 3);
  await pause(40);
  const before = list.count;
  ww.chat(CHAT).send("first");
  assert.equal(list.count, before + 1, "nothing waits before it");
  const started = performance.now();
  for (let count = 1; count < 200; count++) {
    ww.chat(CHAT).send(`${count}`);
    if (count % 20 === 0) await pause(2);
  }
  await until(() => list.items.length === 203);
  const frames = Math.ceil((performance.now() - started) / 16) + 2;
  assert.ok(list.count - before <= frames, `${list.count - before} times in ${frames} frames`);
  // Nobody sees a hidden page, and its timers are late.
  const leavePage = becomePage();
  globalThis.document.visibilityState = "hidden";
  const hidden = list.count;
  for (let count = 0; count < 3; count++) {
    ww.chat(CHAT).send("hidden");
    await null;
    await null;
    await null;
  }
  assert.ok(list.count >= hidden + 3, `${list.count - hidden} times`);
  leavePage();
  await ww.close();
});

test("a tab that follows reads the rows with the keys that the leader names, and all where it names none", async () => {
  const leavePage = becomePage();
  const [locks, database] = [new Locks(), new SharedDatabase()];
  const leader = await filled(300, { locks, storage: database.tab() });
  const follower = await WatchWise.open({ ...options, locks, storage: database.tab() });
  const list = shown(follower.chat(CHAT), { limit: Infinity });
  await until(() => list.items.length === 300);
  await pause(50);
  const reads = noteReads(follower.core);
  const ofMessages = () => reads.filter(([, table]) => table === "messages").map(([name, , about]) => [name, about]);
  leader.core.engine.report_event({ type: "message", ...message(301) });
  await until(() => list.items.length === 301);
  assert.deepEqual(ofMessages(), [["get", [CHAT, 301]]]);
  // A leader of an earlier version of the library.
  reads.length = 0;
  await leader.core.store.write([{ put: ["messages", { ...message(4), text: "other words", rev: 2 }] }]);
  leader.core.tabs.post({ kind: "changed", names: [`chat:${CHAT}`] });
  await until(() => list.items[3].text === "other words");
  assert.deepEqual(ofMessages().map(([name]) => name), ["range"]);
  assert.deepEqual(list.changes.map(({ kind, index }) => [kind, index]), [["change", 3]]);
  await Promise.all([leader.close(), follower.close()]);
  leavePage();
});

test("when the leader ends between storing a message and saying so, the other tab finds it", async () => {
  const leavePage = becomePage();
  const [locks, database] = [new Locks(), new SharedDatabase()];
  const leader = await filled(3, { locks, storage: database.tab() });
  const follower = await WatchWise.open({ ...options, locks, storage: database.tab() });
  const list = shown(follower.chat(CHAT));
  await until(() => list.items.length === 3 && locks.queue.length === 1);
  await pause(30);
  await leader.core.store.write([{ put: ["messages", message(4)] }]);
  await leader.close();
  await until(() => follower.core.engine && list.items.length === 4);
  await follower.close();
  leavePage();
});
