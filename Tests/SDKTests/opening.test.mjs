// How a device begins, against the real program: the first reads, without a network, and with another person's token.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { becomePage } from "./page.mjs";
import { BlockingProxy } from "./proxy.mjs";
import { Server, WatchWise, folder, pause, shown, until, webSocket } from "./served.mjs";

const hasSQLite = await import("node:sqlite").then(() => true, () => false);
const needsFile = { skip: !hasSQLite && "this Node has no node:sqlite" };
const isLive = client => until(() => client.state.name === "live", () => `live, and not ${JSON.stringify(client.state)}`);
const texts = list => list.items.map(item => item.text);
const failing = async () => {
  throw new TypeError("Failed to fetch");
};

let server;
before(async () => {
  server = await new Server("opening").start();
  await server.befriend("alice", "bob");
});
after(() => server.end());

const history = async () => (await server.command("bob", { type: "history", chat: "alice:bob", limit: 200 })).messages.map(({ text }) => text);

test("the first reads after `open` wait for the connection", async () => {
  await server.command("bob", { type: "send", to: "alice", text: "hello", key: "first" });
  const reads = [
    ww => ww.inbox.list(), ww => ww.doc("boards/none").get(), ww => ww.rooms.list(), ww => ww.topics.followers("user:bob"),
    ww => ww.chat("alice:bob").history(), ww => ww.request({ type: "devices" }), ww => ww.preferences.get(),
  ];
  for (const read of reads) {
    const ww = await server.open("alice");
    await read(ww);
    await ww.close();
  }
  const ww = await server.open("alice");
  await Promise.all(reads.map(read => read(ww)));
  await ww.close();
});

test("a read without a connection that anybody wants is refused at once, and one while it is made waits", async () => {
  const ww = await server.open("alice", { connect: false });
  await assert.rejects(ww.inbox.list(), { kind: "retry", code: "not-connected" });
  ww.connect();
  await ww.inbox.list();
  await ww.disconnect();
  await assert.rejects(ww.inbox.list(), { code: "not-connected" });
  await ww.close();
});

test("the token of another person sends nothing, stores nothing, and is told; the right one goes on", async () => {
  let who = "alice";
  const asked = [];
  const ww = await server.open("alice", { connect: false, token: async () => (asked.push(who), server.token(who)) });
  const list = shown(ww.chat("alice:bob"));
  const write = ww.chat("alice:bob").send("Alice's private words");
  await write.kept;
  who = "bob";
  ww.connect();
  await until(() => ww.state.name === "blocked", () => JSON.stringify(ww.state));
  assert.equal(ww.state.code, "other-user");
  assert.match(ww.state.reason, /bob.*alice/);
  const before = asked.length;
  await server.command("bob", { type: "preferences", set: { locale: "it" } });
  await pause(1000);
  assert.equal(asked.length, before, "it is not tried again");
  assert.ok(!(await history()).includes("Alice's private words"));
  assert.equal(await ww.core.store.get("meta", "preferences"), null);
  assert.equal(await ww.core.store.get("meta", "cursor"), null);
  assert.equal(write.state, "queued");
  who = "alice";
  ww.connect();
  await write.done;
  await isLive(ww);
  await until(() => texts(list).includes("Alice's private words"), "the list");
  await ww.close();
});

test("the token of another person at a renewal ends the session", async () => {
  let count = 0;
  const ww = await server.open("alice", { user: "alice", token: async () => count++ === 0 ? server.token("alice", { seconds: 4 }) : server.token("bob") });
  await until(() => ww.state.name === "blocked", () => JSON.stringify(ww.state));
  assert.match(ww.state.reason, /alice/);
  assert.equal(count, 2, "asked at the connection, and for the renewal");
  await ww.close();
});

test("the token of another person is found out over a stream, too", async () => {
  const proxy = await new BlockingProxy(server.port).start();
  const ww = await WatchWise.open({ server: proxy.address, user: "alice", token: async () => server.token("bob"), webSocket });
  const write = ww.chat("alice:bob").send("not over a stream either");
  await until(() => ww.state.name === "blocked", () => JSON.stringify(ww.state), 20);
  assert.equal(ww.state.code, "other-user");
  assert.ok(!(await history()).includes("not over a stream either"));
  assert.equal(write.state, "queued");
  await ww.close();
  proxy.close();
});

test("a file that belongs to another person is not opened", needsFile, async () => {
  const storage = join(folder, "alices.db");
  const alice = await server.open("alice", { storage, connect: false });
  await alice.chat("alice:bob").send("kept in the file").kept;
  await alice.close();
  await assert.rejects(server.open("bob", { storage }), { kind: "storage", code: "other-user", field: "storage" });
  const again = await server.open("alice", { storage, connect: false });
  assert.equal(again.outbox.list().length, 1);
  await again.signOut({ force: true });
  await (await server.open("bob", { storage, connect: false })).signOut();
});

test("a start without a network shows what the file has, sends what was written, and comes online later", needsFile, async () => {
  const own = await new Server("offline").start();
  await own.befriend("alice", "bob");
  const storage = join(folder, "offline.db");
  let token = async () => own.token("alice");
  const open = () => WatchWise.open({ server: own.address, token: () => token(), webSocket, storage });
  let ww = await open();
  await ww.chat("alice:bob").send("online").done;
  await until(async () => (await ww.core.store.range("messages", {})).length === 1, "stored");
  await ww.close();
  await own.end();
  token = failing;
  ww = await open();
  assert.equal(ww.user, "alice");
  const list = shown(ww.chat("alice:bob"));
  await until(() => texts(list).join() === "online", "the list");
  const write = ww.chat("alice:bob").send("offline");
  await write.kept;
  assert.ok(["connecting", "waiting"].includes(ww.state.name), ww.state.name);
  await own.start();
  token = async () => own.token("alice");
  await write.done;
  await isLive(ww);
  await ww.signOut();
  token = failing;
  await assert.rejects(open(), { name: "TypeError" });
  await assert.rejects(open(), { name: "TypeError" }, "the file is not left in use");
  await own.end();
});

test("a page remembers who was here last; null and signing out forget it", async () => {
  const stored = new Map();
  const leavePage = becomePage(stored);
  try {
    const open = token => WatchWise.open({ server: server.address, token, webSocket, connect: false });
    await assert.rejects(open(failing), { name: "TypeError" });
    await (await open(async () => server.token("alice"))).close();
    const offline = await open(failing);
    assert.equal(offline.user, "alice");
    await offline.close();
    await assert.rejects(open(async () => null), { kind: "auth", code: "unauthenticated" });
    await assert.rejects(open(failing), { name: "TypeError" });
    await (await open(async () => server.token("alice"))).signOut();
    await assert.rejects(open(failing), { name: "TypeError" });
    const elsewhere = await WatchWise.open({ server: `${server.address}/other`, token: async () => server.token("bob"), webSocket, connect: false });
    await elsewhere.close();
    await assert.rejects(open(failing), { name: "TypeError" }, "another server's user is no one here");
    Object.defineProperty(globalThis, "localStorage", { get: () => { throw new Error("SecurityError"); }, configurable: true });
    await (await open(async () => server.token("alice"))).close();
  } finally {
    leavePage();
  }
});

test("a source of tokens that never answers does not hold up the start of who was here before", async () => {
  const leavePage = becomePage(new Map([[`watchwise:${server.address}`, "alice"]]));
  try {
    const asked = [];
    const started = performance.now();
    const ww = await WatchWise.open({ server: server.address, webSocket, token: ({ reason }) => {
      asked.push(reason);
      return reason === "open" ? new Promise(() => {}) : server.token("alice");
    } });
    assert.ok(performance.now() - started < 8000);
    assert.equal(ww.user, "alice");
    await isLive(ww);
    assert.deepEqual(asked, ["open", "connect"]);
    await ww.close();
  } finally {
    leavePage();
  }
});

test("an offline start of one person whose token is another's when the network is back: blocked", async () => {
  const leavePage = becomePage(new Map([[`watchwise:${server.address}`, "alice"]]));
  try {
    let token = failing;
    const ww = await WatchWise.open({ server: server.address, token: () => token(), webSocket });
    const write = ww.chat("alice:bob").send("for Alice's eyes");
    token = async () => server.token("bob");
    await until(() => ww.state.name === "blocked", () => JSON.stringify(ww.state));
    assert.equal(ww.state.code, "other-user");
    assert.equal(write.state, "queued");
    assert.ok(!(await history()).includes("for Alice's eyes"));
    await ww.close();
  } finally {
    leavePage();
  }
});
