// A page as long as the part for writes is not here: it reads, what is written is in the store at once, and when the part comes each
// write leaves once and in order, whatever happened meanwhile.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Locks, SharedDatabase, becomePage } from "./page.mjs";
import { randomOf } from "./seeds.mjs";
import { Server, pause, shown, until, webSocket } from "./served.mjs";
// The modules themselves: these tests take the place of what loads the part.
import { parts } from "../../Sources/Device/WebLibrary/Files/loading.js";
import { WatchWise } from "../../Sources/Device/WebLibrary/Files/watchwise.js";

const load = parts.writes;
const texts = list => list.items.map(item => item.text);

let [server, leavePage, locks, database, listeners, asked] = [];
before(async () => {
  server = await new Server("late").start();
  await server.befriend("alice", "bob");
});
after(() => server.end());
beforeEach(() => {
  leavePage = becomePage();
  listeners = new Map();
  globalThis.window.addEventListener = (type, body) => listeners.set(type, body);
  [locks, database, asked] = [new Locks(), new SharedDatabase(), []];
  // Each question for the part waits until the test answers it.
  parts.writes = () => new Promise((resolve, reject) => asked.push({ come: () => resolve(load()), fail: () => reject(new TypeError("Failed to fetch")) }));
});
afterEach(() => {
  leavePage();
  parts.writes = load;
});

const open = (more = {}) => WatchWise.open({ server: server.address, token: async () => server.token("alice"), webSocket, locks, storage: database.tab(), ...more });
const history = async () => (await server.command("bob", { type: "history", chat: "alice:bob", limit: 200 })).messages.map(({ text }) => text);
const entries = () => [...database.memory.tables.outbox.values()].map(({ command }) => command.text ?? command.type);

/** A page that is live, and whose part was asked for and has not come. */
async function page(more) {
  const ww = await open(more);
  await until(() => ww.state.name === "live" && asked.length > 0, () => JSON.stringify(ww.state));
  return ww;
}

test("a page reads without the part: its lists are complete, and events change them", async () => {
  const ww = await page();
  const [list, chats, inbox, unread] = [shown(ww.chat("alice:bob")), shown(ww.chats), shown(ww.inbox), shown(ww.unread)];
  await server.command("bob", { type: "send", to: "alice", text: "read without it", key: "late1" });
  await until(() => texts(list).at(-1) === "read without it" && list.complete, "the message");
  await until(() => chats.items[0]?.unread > 0 && unread.value.chats === 1, "its chat");
  assert.deepEqual([inbox.items.map(({ kind }) => kind), inbox.complete, ww.core.sending, asked.length], [["follower"], true, null, 1]);
  assert.equal((await ww.chat("alice:bob").history()).messages.at(-1).text, "read without it");
  await ww.close();
});

test("what is written meanwhile is kept at once, and leaves once and in order when the part comes", async () => {
  const ww = await page();
  const list = shown(ww.chat("alice:bob"));
  const chat = ww.chat("alice:bob");
  const writes = [1, 2, 3].map(n => chat.send(`early ${n}`));
  const task = [ww.doc("users/alice/tasks/early").put({ a: 1 }), ww.doc("users/alice/tasks/early").patch({ b: 2 })];
  assert.deepEqual(await Promise.all([...writes, ...task].map(write => write.kept)), Array.from({ length: 5 }, () => ({ durable: true })));
  assert.deepEqual(entries(), ["early 1", "early 2", "early 3", "put", "patch"]);
  assert.deepEqual(ww.outbox.list().map(({ state }) => state), Array(5).fill("queued"));
  await pause(200);
  assert.deepEqual((await history()).filter(text => text.startsWith("early")), []);
  asked[0].come();
  const late = chat.send("early 4");
  await Promise.all([...writes, ...task, late].map(write => write.done));
  assert.deepEqual((await history()).filter(text => text.startsWith("early")), ["early 1", "early 2", "early 3", "early 4"]);
  assert.deepEqual(await ww.doc("users/alice/tasks/early").get().then(({ data }) => data), { a: 1, b: 2 });
  await until(() => texts(list).slice(-4).join() === "early 1,early 2,early 3,early 4" && list.items.every(({ pending }) => !pending), "shown");
  assert.deepEqual([entries(), ww.outbox.list()], [[], []]);
  await ww.close();
});

test("a write that is made while an earlier one is on its way into the store does not overtake it", async () => {
  const ww = await page();
  const { write } = database.memory;
  // The store is slow just when the part comes.
  database.memory.write = async (...about) => {
    await pause(100);
    return write.apply(database.memory, about);
  };
  const first = ww.chat("alice:bob").send("slow 1");
  asked[0].come();
  await until(() => ww.core.sending, "the outbox has begun");
  const second = ww.chat("alice:bob").send("slow 2");
  await Promise.all([first.done, second.done]);
  assert.deepEqual((await history()).filter(text => text.startsWith("slow")), ["slow 1", "slow 2"]);
  await ww.close();
});

test("a part that cannot be loaded is asked for again: after a wait, and when there is a network again", async () => {
  const ww = await page();
  const words = [];
  ww.on("storage", ({ state, reason }) => words.push(`${state} ${reason}`));
  const write = ww.chat("alice:bob").send("after failures");
  asked[0].fail();
  await until(() => words.length === 1, "told");
  // Whatever happens meanwhile.
  ww.chat("alice:bob").read(1);
  ww.chat("alice:bob").typing();
  await pause(100);
  assert.equal(asked.length, 1);
  await until(() => asked.length === 2, "after half a second", 2);
  asked[1].fail();
  await until(() => words.length === 2, "told");
  assert.deepEqual(words, Array(2).fill("failing not-loaded"));
  const before = performance.now();
  listeners.get("online")();
  await until(() => asked.length === 3, "at once");
  assert.ok(performance.now() - before < 200);
  asked[2].come();
  await write.done;
  assert.equal((await history()).filter(text => text === "after failures").length, 1);
  await ww.close();
});

test("a part of another version is not taken, and what is written stays in the store", async () => {
  parts.writes = async () => ({ ...await load(), BUILD: "of yesterday" });
  const ww = await open();
  const words = [];
  ww.on("storage", ({ reason, message }) => words.push(`${reason}: ${message}`));
  const write = ww.chat("alice:bob").send("for the version that comes");
  assert.deepEqual(await write.kept, { durable: true });
  await until(() => words.length > 0, "told");
  assert.match(words[0], /^not-loaded: the part for writes cannot be loaded: it is of another version than watchwise.js/);
  assert.equal(ww.core.sending, null);
  await ww.signOut({ force: true });
});

test("what needs the part says clearly that it is not here; taking back works when it is", async () => {
  const ww = await open({ connect: false });
  const write = ww.chat("alice:bob").send("taken back");
  await write.kept;
  await until(() => ww.core.engine, "it leads");
  const taken = write.cancel();
  asked[0].fail();
  await assert.rejects(taken, ({ kind, code, message }) => kind === "retry" && code === "not-loaded" && /part for writes cannot be loaded: Failed to fetch/.test(message));
  assert.equal(write.state, "queued");
  await until(() => asked.length === 2, "again");
  await assert.rejects(write.cancel(), { code: "not-loaded", message: "the part for writes cannot be loaded: nothing came within 10 s" });
  asked[1].come();  // all the same
  await until(() => ww.core.sending, "the outbox");
  assert.equal(await write.cancel(), true);
  await assert.rejects(write.done, { kind: "cancelled" });
  assert.deepEqual(entries(), []);
  await ww.close();
});

test("a library that is closed before the part comes keeps its writes for the next start", async () => {
  const ww = await page();
  const writes = [1, 2].map(n => ww.chat("alice:bob").send(`next start ${n}`));
  await ww.close();
  await assert.rejects(writes[0].done, { kind: "closed" });
  assert.throws(() => ww.chat("alice:bob").send("too late"), { kind: "closed" });
  assert.deepEqual(entries(), ["next start 1", "next start 2"]);
  asked[0].come();
  await pause(100);
  const again = await open();
  const list = shown(again.chat("alice:bob"));
  await until(() => asked.length === 2, "asked for at once");
  asked[1].come();
  await until(() => again.outbox.list().length === 0 && texts(list).at(-1) === "next start 2", "sent");
  assert.deepEqual((await history()).filter(text => text.startsWith("next start")), ["next start 1", "next start 2"]);
  await again.close();
});

test("a start with writes waits a moment for the part, so that its lists show them; and no longer", async () => {
  const first = await page();
  await first.chat("alice:bob").send("waits").kept;
  await first.close();
  const opening = open({ connect: false });
  await until(() => asked.length === 2, "asked for");
  asked[1].come();
  const second = await opening;
  const list = shown(second.chat("alice:bob"));
  await until(() => list.told > 0, "the first time");
  assert.deepEqual([list.items.at(-1).text, list.items.at(-1).pending], ["waits", "queued"]);
  await second.close();
  const started = performance.now();
  const third = await open({ connect: false });
  const took = performance.now() - started;
  assert.ok(took > 900 && took < 2000, `${took} ms`);
  assert.deepEqual(third.outbox.list().map(({ command }) => command.text), ["waits"]);
  await third.signOut({ force: true });
});

test("signing out before the part comes says what would be lost, and ends what is given up", async () => {
  const ww = await page();
  const write = ww.chat("alice:bob").send("given up");
  await assert.rejects(ww.signOut(), { code: "outbox-not-empty" });
  await ww.signOut({ force: true });
  await assert.rejects(write.done, { kind: "closed" });
  asked[0].come();
  await pause(200);
  assert.deepEqual([(await history()).filter(text => text === "given up"), entries()], [[], []]);
});

test("writes of a tab that follows wait for the leader's part, and those of a tab without the part need only the leader's", async () => {
  const first = await page();
  const second = await open();
  await until(() => second.state.name === "live", "the second one follows");
  const early = second.chat("alice:bob").send("of a follower 1");
  await early.kept;
  await until(() => first.outbox.list().length === 1, "the leader knows it");
  asked[0].come();
  await early.done;
  const later = second.chat("alice:bob").send("of a follower 2");
  await later.done;
  assert.equal(second.core.writing.here, null);
  assert.deepEqual((await history()).filter(text => text.startsWith("of a follower")), ["of a follower 1", "of a follower 2"]);
  await Promise.all([first.close(), second.close()]);
});

test("the lead changes while the part is loaded: what was written in both tabs is sent once, by the new leader", async () => {
  const first = await page();
  const second = await open();
  await until(() => second.state.name === "live" && locks.queue.length === 1, "the second one follows");
  const writes = [first.chat("alice:bob").send("changing 1"), second.chat("alice:bob").send("changing 2")];
  await Promise.all(writes.map(write => write.kept));
  second.core.tabs.queue({ steal: true });
  await until(() => second.core.engine && !first.core.engine, "the second one leads");
  const last = first.chat("alice:bob").send("changing 3");
  await last.kept;
  for (const one of asked.splice(0)) one.come();
  await until(() => second.core.sending, "the outbox of the second one");
  await Promise.all([...writes, last].map(write => write.done));
  assert.deepEqual((await history()).filter(text => text.startsWith("changing")), ["changing 1", "changing 2", "changing 3"]);
  assert.equal(first.core.sending, null);
  await Promise.all([first.close(), second.close()]);
});

test("where a write may have been sent, the connection waits for the part: its event ends it, and it is not sent again", async () => {
  const key = "c0ffee";
  const command = { type: "send", to: "bob", text: "sent before the crash", key };
  const first = await page();
  await first.close();
  await database.memory.write([{ keepEntry: { key, order: null, command, lane: "chat:alice:bob", state: "sent", firstSent: Date.now(), attempts: 1, error: null, base: null, isChained: false } }]);
  await server.command("alice", command);  // the server has done it, and its answer was lost
  const commands = [];
  const second = await open({ webSocket: class extends webSocket {
    send(text) {
      commands.push(JSON.parse(text).type);
      super.send(text);
    }
  } });
  await until(() => second.core.engine, "it leads");
  await pause(300);
  assert.deepEqual([second.state.name, commands], ["connecting", []]);
  const question = second.chat("alice:bob").history();
  for (const one of asked.splice(0)) one.come();
  await until(() => second.state.name === "live" && second.outbox.list().length === 0, () => JSON.stringify(second.state));
  assert.ok((await question).messages.some(({ text }) => text === command.text));
  assert.ok(!commands.includes("send"), commands.join());
  assert.equal((await history()).filter(text => text === command.text).length, 1);
  await second.close();
});

test("documents and people that are watched early are watched when the part comes", async () => {
  const ww = await page();
  await server.command("alice", { type: "put", path: "users/alice/tasks/watched", data: { a: 1 }, key: "w1" });
  const [list, people] = [shown(ww.doc("users/alice/tasks/watched")), { told: 0 }];
  const off = ww.presence.watch(["bob"], seen => Object.assign(people, seen, { told: people.told + 1 }));
  await until(() => list.told > 0, "what is here");
  assert.deepEqual([list.value, list.complete, people.told], [null, false, 0]);
  asked[0].come();
  await until(() => list.complete && list.value.data.a === 1, "the document");
  await until(() => people.complete, "who is online");
  off();
  await ww.close();
});

test("keys that are pressed before the part comes are said, or are not said any more", async () => {
  const ww = await page();
  const heard = [];
  const bob = await WatchWise.open({ server: server.address, token: async () => server.token("bob"), user: "bob", webSocket, storage: new SharedDatabase().tab(), connect: true });
  bob.on("typing", ({ on }) => heard.push(on));
  await until(() => bob.state.name === "live", "Bob");
  ww.chat("alice:bob").typing();
  await pause(100);
  assert.deepEqual(heard, []);
  asked[0].come();
  await until(() => heard.length === 1, "typing");
  ww.chat("alice:bob").typing(false);
  await until(() => heard.length === 2, "ended");
  assert.deepEqual(heard, [true, false]);
  await Promise.all([ww.close(), bob.close()]);
});

test("the disk refuses before the part comes: it goes on in memory when the part is here, and nothing is lost", async () => {
  const ww = await page();
  const words = [];
  ww.on("storage", ({ state }) => words.push(state));
  await ww.chat("alice:bob").send("on the disk").kept;
  const store = ww.core.store.store;
  store.write = async () => Promise.reject(Object.assign(new Error("no"), { name: "UnknownError" }));
  const write = ww.chat("alice:bob").send("in memory");
  await pause(100);
  assert.equal(write.state, "keeping");
  asked[0].come();
  assert.deepEqual(await write.kept, { durable: false });
  assert.deepEqual(words, ["memory"]);
  await write.done;
  assert.deepEqual((await history()).filter(text => ["on the disk", "in memory"].includes(text)), ["on the disk", "in memory"]);
  await ww.close();
});

test("whenever the part comes, and whoever leads then: each write is done once, those of one tab and chat in their order", async () => {
  const rounds = process.env.SDK_WHOLE ? 200 : 15;
  await server.befriend("alice", "carol");
  for (let round = 0; round < rounds; round++) {
    const random = randomOf(round);
    const soon = ms => pause(random() * ms);
    [locks, database, asked] = [new Locks(), new SharedDatabase(), []];
    locks.lateMs = random() * 30;
    const came = [];
    parts.writes = async () => {
      came.push(round);
      await soon(120);
      if (random() < 0.2) throw new TypeError("Failed to fetch");
      return load();
    };
    const tabs = [await open(), await open()];
    const writes = [];
    const write = async (tab, person) => {
      for (let n = 0; n < 4; n++) {
        writes.push([tab, person, tabs[tab].chat({ with: person }).send(`${round} ${tab} ${n}`)]);
        if (random() < 0.7) await soon(40);
      }
    };
    const steal = async () => {
      await soon(100);
      if (random() < 0.5) tabs[1].core.tabs.queue({ steal: true });
    };
    await Promise.all([write(0, "bob"), write(0, "carol"), write(1, "bob"), write(1, "carol"), steal()]);
    await Promise.all(writes.map(([, , { kept }]) => kept));
    await Promise.all(writes.map(([, , { done }]) => done));
    for (const person of ["bob", "carol"]) {
      const { messages } = await server.command(person, { type: "history", chat: `alice:${person}`, limit: 200 });
      for (const tab of [0, 1]) {
        const mine = messages.map(({ text }) => text).filter(text => text.startsWith(`${round} ${tab} `));
        assert.deepEqual(mine, [0, 1, 2, 3].map(n => `${round} ${tab} ${n}`), `round ${round}`);
      }
    }
    assert.ok(came.length > 0);
    assert.deepEqual([entries(), ...tabs.map(tab => tab.outbox.list())], [[], [], []]);
    await Promise.all(tabs.map(tab => tab.close()));
  }
});
