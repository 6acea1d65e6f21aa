// What is too large, too late or no longer here, against the real program.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Server, folder, pause, shown, until, webSocket } from "./served.mjs";

const hasSQLite = await import("node:sqlite").then(() => true, () => false);
const isLive = (...clients) => until(() => clients.every(client => client.state.name === "live"), "live");
const LARGE = "x".repeat(200_000);

/** A class of sockets that counts those that were made. */
function counting() {
  return class extends webSocket {
    static made = 0;

    constructor(...about) {
      super(...about);
      new.target.made += 1;
    }
  };
}

/** As a library would be that knows nothing of the bound. */
function withoutBound(ww) {
  ww.core.messageBytes = ww.core.engine.outbox.messageBytes = Infinity;
}

let server;
before(async () => {
  server = await new Server("bounds").start();
  await server.befriend("alice", "bob");
});
after(() => server.end());

const history = async () => (await server.command("bob", { type: "history", chat: "alice:bob", limit: 200 })).messages.map(({ text }) => text);

test("a write or a request beyond the server's bound fails at the call, online and offline, and nothing is stored", async () => {
  const ww = await server.open("alice", { connect: false });
  const chat = ww.chat("alice:bob");
  const each = {
    send: () => chat.send(LARGE), recommend: () => chat.recommend({ id: "movie/1", title: LARGE }), edit: () => chat.edit(1, LARGE),
    put: () => ww.doc("users/alice/tasks/1").put({ text: LARGE }), patch: () => ww.doc("users/alice/tasks/1").patch({ text: LARGE }),
    preferences: () => ww.preferences.set({ text: LARGE }), report: () => ww.report("bob", { reason: LARGE }),
  };
  const check = () => {
    for (const [name, call] of Object.entries(each)) assert.throws(call, error => {
      assert.deepEqual([error.name, error.kind, error.code], ["WatchWiseError", "permanent", "too-large"], name);
      assert.match(error.message, /200\d\d\d bytes.* at most 131072/);
      return true;
    });
  };
  await until(() => ww.core.engine, "the store is read");
  check();
  ww.connect();
  await isLive(ww);
  check();
  await assert.rejects(ww.request({ type: "put", path: "users/alice/tasks/1", data: { text: LARGE } }), { kind: "permanent", code: "too-large" });
  assert.deepEqual(ww.outbox.list(), []);
  assert.equal(ww.state.name, "live");
  await ww.close();
});

test("a command as long as the server takes is answered, not ended with 1009", async () => {
  const WebSocket = counting();
  const ww = await server.open("alice", { webSocket: WebSocket });
  await isLive(ww);
  const { messageBytes } = ww.core.engine.outbox;
  assert.equal(messageBytes, 131_072);
  const empty = JSON.stringify({ type: "put", path: "users/alice/tasks/1", data: { text: "" } }).length;
  await assert.rejects(ww.request({ type: "put", path: "users/alice/tasks/1", data: { text: "x".repeat(messageBytes - 64 - empty) } }), { kind: "permanent" });
  assert.equal(WebSocket.made, 1);
  await assert.rejects(ww.request({ type: "put", path: "users/alice/tasks/1", data: { text: "x".repeat(messageBytes - 63 - empty) } }), { code: "too-large" });
  await ww.close();
});

test("1009 fails the write that was under way alone, and the others go on", async () => {
  const WebSocket = counting();
  const ww = await server.open("alice", { webSocket: WebSocket });
  await isLive(ww);
  withoutBound(ww);
  const large = ww.doc("users/alice/tasks/large").put({ text: LARGE });
  const after = ww.doc("users/alice/tasks/large").patch({ after: true });
  await assert.rejects(large.done, { kind: "permanent", code: "too-large" });
  assert.equal(after.state, "blocked");
  await ww.chat("alice:bob").send("after the large one").done;
  assert.ok(WebSocket.made <= 3, `${WebSocket.made} connections`);
  assert.equal(await ww.outbox.discard(large.key), true);
  await after.done;
  await ww.close();
});

test("1009 with several writes under way fails only the large one", async () => {
  const WebSocket = counting();
  const ww = await server.open("alice", { webSocket: WebSocket });
  await isLive(ww);
  withoutBound(ww);
  const writes = [ww.topics.follow("movie:1"), ww.chat("alice:bob").send(LARGE), ww.preferences.set({ locale: "it" }), ww.chat("alice:bob").send("small, after it")];
  const [first, large, ...rest] = writes;
  await assert.rejects(large.done, { code: "too-large" });
  await Promise.all([first, ...rest].map(write => write.done));
  assert.deepEqual((await history()).filter(text => text.startsWith("small")), ["small, after it"]);
  assert.ok(WebSocket.made <= 6, `${WebSocket.made} connections`);
  assert.deepEqual(ww.outbox.list().map(({ state }) => state), ["failed"]);
  await ww.close();
});

test("a device that has such a write on its disk is free with the next connection", { skip: !hasSQLite && "this Node has no node:sqlite" }, async () => {
  const storage = join(folder, "large.db");
  let ww = await server.open("alice", { storage, connect: false });
  await until(() => ww.core.engine, "the store is read");
  withoutBound(ww);
  const write = ww.doc("users/alice/tasks/disk").put({ text: LARGE });
  await write.kept;
  await ww.chat("alice:bob").send("behind it on the disk").kept;
  await ww.close();
  const WebSocket = counting();
  ww = await server.open("alice", { storage, webSocket: WebSocket });
  await until(() => ww.outbox.list().map(({ state, error }) => `${state} ${error?.code}`).join() === "failed too-large", () => JSON.stringify(ww.outbox.list().map(({ state }) => state)));
  assert.equal((await history()).at(-1), "behind it on the disk");
  assert.equal(WebSocket.made, 1);
  await ww.signOut({ force: true });
});

test("the bound of a server is remembered for the next start", { skip: !hasSQLite && "this Node has no node:sqlite" }, async () => {
  const storage = join(folder, "bound.db");
  let ww = await server.open("alice", { storage });
  await isLive(ww);
  ww.core.engine.feed({ limits: { messageBytes: 1000 } });
  await ww.core.store.write([{ put: ["meta", { name: "limits", value: { messageBytes: 1000 } }] }]);
  await ww.close();
  ww = await server.open("alice", { storage, connect: false });
  assert.throws(() => ww.chat("alice:bob").send("x".repeat(1000)), { code: "too-large" });
  await until(() => ww.core.engine?.outbox?.messageBytes === 1000, "in the machine");
  ww.connect();
  await isLive(ww);
  await until(() => ww.core.messageBytes === 131_072, "the server says another one");
  assert.equal((await ww.core.store.get("meta", "limits")).value.messageBytes, 131_072);
  await ww.signOut();
});

test("what timed out is not sent later, and nothing of it is held", async () => {
  const own = await new Server("timeouts").start();
  const ww = await own.open("alice");
  await isLive(ww);
  await own.end();
  await until(() => ww.state.name !== "live", "gone");
  const errors = await Promise.all(Array.from({ length: 300 }, (_, index) => ww.request({ type: "room.create", title: `R${index}`, members: [] }, { timeoutMs: 100 }).then(() => "done", error => error.code)));
  assert.deepEqual([...new Set(errors)], ["timeout"]);
  assert.equal(ww.core.engine.requests.size, 0);
  assert.equal(ww.core.engine.session.commands.entries.size, 0);
  const waiting = ww.request({ type: "devices" });
  await own.start();
  await waiting;
  await isLive(ww);
  await pause(300);
  assert.deepEqual((await ww.rooms.list()).rooms, []);
  await ww.close();
  await own.end();
});

test("what was trimmed is fetched again, when it is watched again", async () => {
  const [ww, other] = [await server.open("alice"), await server.open("alice", { device: "other" })];
  await isLive(ww, other);
  await other.doc("users/alice/tasks/trimmed").put({ title: "still there" }).done;
  const look = async () => {
    const list = shown(ww.collection("users/alice/tasks"));
    await until(() => list.complete, "complete");
    const titles = list.items.map(({ data }) => data.title);
    list.off();
    await until(() => ![...ww.core.engine.paths.watches.values()].some(watch => watch.isActive), "nobody watches");
    return titles;
  };
  assert.ok((await look()).includes("still there"));
  const now = Date.now;
  Date.now = () => now() + 8 * 86_400_000;
  try {
    await ww.core.trim();
    assert.deepEqual(await ww.core.store.range("documents", {}), []);
    assert.ok((await look()).includes("still there"));
    // What somebody wants is not trimmed, however long ago that began.
    const list = shown(ww.collection("users/alice/tasks"));
    await until(() => list.complete, "complete");
    Date.now = () => now() + 20 * 86_400_000;
    await ww.core.trim();
    assert.ok((await ww.core.store.range("documents", {})).length > 0);
    // Another tab has trimmed, because there was no room.
    const rows = await ww.core.store.range("documents", {});
    await ww.core.store.write(rows.map(({ path }) => ({ delete: ["documents", path] })));
    ww.core.trimmed(["users/alice/tasks", "users/alice/unknown"]);
    await until(async () => (await ww.core.store.range("documents", {})).length === rows.length && list.complete, "all are here again");
  } finally {
    Date.now = now;
  }
  await Promise.all([ww.close(), other.close()]);
});

test("a window on a new device fetches earlier messages when more are asked for, also those asked for without a connection", async () => {
  await server.befriend("erin", "bob");
  const bob = await server.open("bob");
  const chat = bob.chat({ with: "erin" });
  await Promise.all(Array.from({ length: 35 }, (_, index) => chat.send(`${index + 1}`).done));
  const erin = await server.open("erin");
  await isLive(erin);
  const seen = {};
  const list = erin.chat("bob:erin").watch(snapshot => Object.assign(seen, snapshot), { limit: 10 });
  await until(() => seen.items?.length === 10 && seen.complete, "ten are here");
  assert.deepEqual([seen.items[0].text, seen.hasMore], ["26", true]);
  list.more(15);
  await until(() => seen.items.length === 25 && seen.complete, "fifteen more");
  assert.deepEqual([seen.items[0].text, seen.hasMore], ["11", true]);
  await erin.disconnect();
  list.more(100);
  await until(() => !seen.complete, "it does not have them");
  erin.connect();
  await until(() => seen.items.length === 35 && seen.complete, "all are here");
  assert.deepEqual([seen.items.map(({ n }) => n).join(), seen.hasMore], [Array.from({ length: 35 }, (_, index) => index + 1).join(), false]);
  await Promise.all([bob.close(), erin.close()]);
});

test("what nobody watches any more is not called complete, and is asked for anew", async () => {
  const [ww, other] = [await server.open("alice"), await server.open("alice", { device: "other" })];
  await isLive(ww, other);
  const document = ww.doc("users/alice/tasks/left");
  await other.doc(document.path).put({ title: "before" }).done;
  const list = shown(document);
  await until(() => list.complete && list.value?.data.title === "before", "it is here");
  list.off();
  await until(() => ![...ww.core.engine.paths.watches.values()].some(watch => watch.isActive), "nobody watches");
  await other.doc(document.path).put({ title: "after" }).done;
  assert.equal((await document.get()).data.title, "after");
  await Promise.all([ww.close(), other.close()]);
});
