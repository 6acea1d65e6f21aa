// Several tabs of one page, against the real program: who signs out, and who loses the lead.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Locks, SharedDatabase, becomePage } from "./page.mjs";
import { Server, pause, shown, until, webSocket } from "./served.mjs";
// The modules themselves: the database of these tests throws their `LeaderLost`.
import { WatchWise } from "../../Sources/Device/WebLibrary/Files/watchwise.js";

const texts = list => list.items.map(item => item.text);

let [server, leavePage, locks, database] = [];
const stored = new Map();
before(async () => {
  server = await new Server("tabs").start();
  await server.befriend("alice", "bob");
});
after(() => server.end());
beforeEach(() => {
  stored.clear();
  leavePage = becomePage(stored);
  [locks, database] = [new Locks(), new SharedDatabase()];
});
afterEach(() => leavePage());

const open = (more = {}) => WatchWise.open({ server: server.address, token: async () => server.token("alice"), webSocket, locks, storage: database.tab(), ...more });

/** Two tabs, of which the first leads. */
async function two(more) {
  const first = await open(more);
  await until(() => first.core.engine && first.state.name === "live", "the first one leads");
  const second = await open(more);
  await until(() => second.state.name === "live" && locks.queue.length === 1, "the second one follows");
  return [first, second];
}

const history = async () => (await server.command("bob", { type: "history", chat: "alice:bob", limit: 200 })).messages.map(({ text }) => text);

test("signing out in one tab ends the others: nothing of the user stays in them, and nothing more is sent", async () => {
  for (const isLeader of [true, false]) {
    [locks, database] = [new Locks(), new SharedDatabase()];
    const tabs = await two();
    const [one, other] = isLeader ? tabs : [...tabs].reverse();
    await one.chat("alice:bob").send("a secret").done;
    const [list, chats, unread, outbox] = [shown(other.chat("alice:bob")), shown(other.chats), shown(other.unread), []];
    other.outbox.watch(entries => outbox.push(entries.length));
    const words = [];
    other.on("storage", word => words.push(word));
    await until(() => texts(list).includes("a secret") && chats.items.length === 1, "the other tab shows it");
    assert.equal(stored.get(`watchwise:${server.address}`), "alice");
    await one.signOut();
    await until(() => other.state.name === "signed-out", "signed out");
    await until(() => list.items.length === 0 && chats.items.length === 0, "the lists are empty");
    assert.equal(list.complete, false);
    assert.deepEqual(unread.value, { chats: 0, notifications: 0, confirmed: { chats: 0, notifications: 0 } });
    assert.deepEqual(words, []);
    assert.equal(stored.size, 0, "who was here is forgotten");
    assert.throws(() => other.chat("alice:bob").send("typed in the tab that was left open"), { kind: "closed" });
    await assert.rejects(other.request({ type: "devices" }), { kind: "closed" });
    other.connect();
    await pause(500);
    assert.equal(other.state.name, "signed-out");
    assert.deepEqual(await other.core.store.all().then(rows => Object.values(rows).flat()), []);
    assert.equal(database.memory.tables.messages.size + database.memory.tables.meta.size, 0);
    assert.deepEqual([...locks.queue], []);
    await other.signOut();
    await other.close();
  }
  assert.ok(!(await history()).some(text => text.startsWith("typed")));
});

test("signing out without a network ends the other tabs, too", async () => {
  const tabs = await two();
  await tabs[0].disconnect();
  tabs[1].chat("alice:bob").send("not sent yet");
  await until(() => tabs.every(tab => tab.outbox.list().length === 1), "it waits");
  await assert.rejects(tabs[0].signOut(), { code: "outbox-not-empty" });
  assert.notEqual(tabs[1].state.name, "signed-out");
  await tabs[0].signOut({ force: true });
  await until(() => tabs[1].state.name === "signed-out" && tabs[1].outbox.list().length === 0, "signed out");
  assert.ok(!(await history()).includes("not sent yet"));
});

test("a write in the moment after the lead was lost is kept, and sent once; the tab stands in line again", async () => {
  const [first, second] = await two();
  locks.lateMs = 100;
  second.core.tabs.queue({ steal: true });  // as after two seconds without a word of the leader
  await until(() => database.memory.tables.meta.get('["leader"]')?.value === second.core.tabs.id, "the second one leads");
  assert.ok(first.core.engine, "the first one does not know it yet");
  const chat = first.chat("alice:bob");
  const writes = ["one", "two", "three"].map(text => chat.send(`taken ${text}`));
  const task = first.doc("users/alice/tasks/taken").put({ title: "taken" });
  await Promise.all([...writes, task].map(write => write.kept));
  await Promise.all([...writes, task].map(write => write.done));
  assert.deepEqual((await history()).filter(text => text.startsWith("taken")), ["taken one", "taken two", "taken three"]);
  assert.equal(first.core.engine, null);
  await until(() => locks.queue.length === 1, "it stands in line");
  await second.close();
  await until(() => first.state.name === "live" && first.core.engine, "and leads again");
  await first.chat("alice:bob").send("leads again").done;
  await first.close();
});

test("what was merged into an entry in that moment is not lost", async () => {
  const [first, second] = await two();
  await first.disconnect();
  first.preferences.set({ locale: "it" });
  await until(() => database.memory.tables.outbox.size === 1, "it is stored");
  second.core.isWanted = false;
  locks.lateMs = 100;
  second.core.tabs.queue({ steal: true });
  await until(() => database.memory.tables.meta.get('["leader"]')?.value === second.core.tabs.id, "the second one leads");
  const merged = first.preferences.set({ timeZone: "Europe/Rome" });
  await merged.kept;
  second.connect();
  await merged.done;
  await until(() => second.outbox.list().length === 0, "all done");
  const { locale, timeZone } = await second.request({ type: "preferences" });
  assert.deepEqual([locale, timeZone], ["it", "Europe/Rome"]);
  await Promise.all([first.close(), second.close()]);
});

test("the leader ends between the server's answer and its word: `done` of the other tab resolves", async () => {
  const [first, second] = await two();
  first.core.settled = () => {
    first.core.tabs.post = () => {};
    first.core.close();
  };
  const write = second.chat("alice:bob").send("answered");
  await write.done;
  assert.equal(write.state, "done");
  assert.equal((await history()).filter(text => text === "answered").length, 1);
  await second.close();
});

test("a write of a tab that follows is refused at the call when it is larger than the leader's server takes", async () => {
  const [first, second] = await two();
  assert.throws(() => second.chat("alice:bob").send("x".repeat(140_000)), { kind: "permanent", code: "too-large" });
  await first.core.store.write([{ put: ["meta", { name: "limits", value: { messageBytes: 1000 } }] }]);
  first.core.changed(["limits"]);
  await until(() => second.core.messageBytes === 1000, "the other tab knows it");
  assert.throws(() => second.chat("alice:bob").send("x".repeat(1000)), { code: "too-large" });
  assert.equal(database.memory.tables.outbox.size, 0);
  await Promise.all([first.close(), second.close()]);
});

test("a write of a tab that follows ends the leader's connection with 1009: it fails there, and what both write goes on", async () => {
  const [first, second] = await two();
  // As libraries would be that know nothing of the bound.
  first.core.messageBytes = second.core.messageBytes = first.core.engine.outbox.messageBytes = Infinity;
  const large = second.chat("alice:bob").edit(1, "x".repeat(200_000));
  const others = [second.chat("alice:bob").send("follows it"), first.doc("users/alice/tasks/1").put({ a: 1 }), first.chat("alice:bob").read(1), first.chat("alice:bob").read(2)];
  await assert.rejects(large.done, { kind: "permanent", code: "too-large" });
  await Promise.all(others.map(write => write.done));
  assert.equal(large.state, "failed");
  assert.equal(await second.outbox.discard(large.key), true);
  await until(() => [first, second].every(tab => tab.outbox.list().length === 0), "nothing waits");
  assert.equal((await history()).filter(text => text === "follows it").length, 1);
  await Promise.all([first.close(), second.close()]);
});

test("a tab that follows takes no more writes than the outbox holds, in number and in bytes", async () => {
  const [first, second] = await two();
  await first.disconnect();
  const full = { kind: "storage", code: "outbox-full" };
  const writes = Array.from({ length: 1000 }, (_, n) => second.topics.follow(`movie:${n}`));
  assert.throws(() => second.topics.follow("movie:1000"), full);
  await Promise.all(writes.map(write => write.kept));
  assert.throws(() => second.topics.follow("movie:1000"), full);
  await until(() => [first, second].every(tab => tab.outbox.list().length === 1000), "both know them");
  assert.equal(await second.outbox.discard(writes[0].key), true);
  await until(() => second.outbox.list().length === 999, "one is gone");
  await second.topics.follow("movie:1000").kept;
  await Promise.all([first.signOut({ force: true }), until(() => second.state.name === "signed-out", "signed out")]);
  [locks, database] = [new Locks(), new SharedDatabase()];
  const [leader, follower] = await two();
  await leader.disconnect();
  const kept = [];
  assert.throws(() => {
    for (;;) kept.push(follower.doc(`users/alice/tasks/${kept.length}`).put({ text: "x".repeat(100_000) }));
  }, full);
  assert.equal(kept.length, 83);
  await Promise.all([leader.close(), follower.close()]);
});

test("a tab that did not hear the word of a sign-out, and whose database is deleted, has nothing of the user any more", async () => {
  const [first, second] = await two();
  await first.chat("alice:bob").send("a secret").done;
  const [list, words] = [shown(second.chat("alice:bob")), []];
  second.on("storage", word => words.push(word));
  await until(() => texts(list).includes("a secret"), "the other tab shows it");
  second.core.tabs.channel.onmessage = null;
  await first.signOut();
  await until(() => second.state.name === "signed-out" && list.items.length === 0, () => JSON.stringify([second.state, words]));
  assert.deepEqual(words, []);
  assert.deepEqual(await second.core.store.all().then(rows => Object.values(rows).flat()), []);
});

test("a question of a tab that follows ends in its time, also when another tab takes over meanwhile, and is not asked later", async () => {
  const [first, second] = await two();
  // The leader hears nothing, and the server has gone.
  first.core.tabs.channel.onmessage = null;
  await server.end();
  const started = performance.now();
  const title = "not any more";
  await assert.rejects(second.request({ type: "room.create", title, members: ["bob"] }, { timeoutMs: 4000 }), { code: "timeout" });
  const took = performance.now() - started;
  assert.ok(took > 3900 && took < 5500, `${took} ms`);
  assert.ok(second.core.tabs.isLeader, "it leads now");
  await server.start();
  await until(() => second.state.name === "live", "live");
  assert.ok(!(await second.rooms.list()).rooms.some(room => room.title === title));
  await Promise.all([second.close(), first.close()]);
});
