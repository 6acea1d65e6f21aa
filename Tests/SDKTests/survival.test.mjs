// What a device must survive (sdk.md, section 8), against the real program. `SDK_WHOLE` runs all of it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Disk, Life } from "./dying.mjs";
import { Proxy } from "./proxy.mjs";
import { Server, WatchWise, folder, joined, pause, shown, until, webSocket } from "./served.mjs";

const isWhole = Boolean(process.env.SDK_WHOLE);
const isLive = (...clients) => until(() => clients.every(client => client.state.name === "live"), "live");
const texts = list => list.items.map(item => item.text);
const { DatabaseSync } = await import("node:sqlite").catch(() => ({}));

let server;
before(async () => {
  server = await new Server("survival").start();
  await server.befriend("alice", "bob");
});
after(() => server.end());

async function history(where, user, chat) {
  const { ok, code } = await where.call(user, "POST", "/v1/commands", { id: 1, type: "history", chat, limit: 200 });
  if (!ok && code !== "not-found") throw new Error(code);
  return (ok?.messages ?? []).map(message => message.text);
}

/** A short life with something of everything. Resolves with the texts that were told as kept. */
async function live(user, life, round) {
  const kept = [];
  const ended = new Promise(resolve => (life.end = resolve));
  const work = async () => {
    const ww = await server.open(user, { user, storage: life.store, webSocket: life.WebSocket });
    life.client = ww;
    ww.chat({ with: "bob" }).watch(() => {});
    ww.collection(`users/${user}/tasks`).watch(() => {});
    await isLive(ww);
    for (let index = 0; index < 3; index++) {
      const text = `${round}.${index}`;
      ww.chat({ with: "bob" }).send(text).kept.then(() => !life.isDead && kept.push(text));
      ww.doc(`users/${user}/tasks/1`).patch({ [`n${round}`]: index });
    }
    ww.chat({ with: "bob" }).read(1);
    await server.command("bob", { type: "send", to: user, text: `b${round}`, key: `b-${user}-${round}` });
    await until(() => life.isDead || ww.outbox.list().length === 0, "all done");
    life.isOver = true;
  };
  await Promise.race([work(), ended]);
  await pause(0);
  return kept;
}

// Side by side: most of their time is waiting.
describe("a device survives", { concurrency: true }, () => {
  test("a process ends at the Nth step of its store, for each N: what was kept is done once, in order, and the lists are the server's", { timeout: 900_000 }, async () => {
    let [deaths, isOver, n] = [0, false, isWhole ? 1 : 1 + Math.floor(Math.random() * 11)];
    for (; !isOver; n += isWhole ? 1 : 11) {
      for (const isLastDone of [false, true]) {
        const user = `u${n}${isLastDone ? "d" : ""}`;
        await server.befriend(user, "bob");
        const disk = new Disk();
        const life = new Life(disk, n, isLastDone, webSocket);
        const kept = await live(user, life, 1);
        isOver = Boolean(life.isOver);
        deaths += life.isDead ? 1 : 0;
        await life.client?.core.leading?.stop({ isLost: true });
        const next = new Life(disk, Infinity, true, webSocket);
        const ww = await server.open(user, { user, storage: next.store, webSocket: next.WebSocket });
        const [list, tasks] = [shown(ww.chat({ with: "bob" })), shown(ww.collection(`users/${user}/tasks`))];
        await isLive(ww);
        await until(() => ww.outbox.list().length === 0, "nothing waits");
        let there = await history(server, user, ww.chat({ with: "bob" }).id);
        const about = `dies at ${n}${isLastDone ? " (done)" : ""}`;
        const own = there.filter(text => !text.startsWith("b"));
        assert.deepEqual(own, [...new Set(own)].sort(), about);
        assert.deepEqual(kept.filter(text => !own.includes(text)), [], `${about}: what was kept is missing`);
        // Bob's message may still be on its way: the process that died may have been just about to ask him for it.
        await until(async () => {
          there = await history(server, user, ww.chat({ with: "bob" }).id);
          return list.complete && JSON.stringify(texts(list)) === JSON.stringify(there);
        }, () => `${about}: list ${texts(list)}, server ${there}`);
        const document = await server.call(user, "POST", "/v1/commands", { id: 1, type: "get", path: `users/${user}/tasks/1` });
        await until(() => tasks.complete && JSON.stringify(tasks.items[0]?.data) === JSON.stringify(document.ok?.data), `${about}: the document`);
        await ww.close();
      }
    }
    console.log(`# ${deaths} deaths at the steps of a store`);
  });

  test("offline for days: the log is trimmed and the keys are forgotten; nothing is done twice in silence", { skip: !DatabaseSync }, async () => {
    const own = await new Server("days").start();
    await own.befriend("alice", "bob");
    const storage = join(folder, "days.db");
    let alice = await own.open("alice", { storage });
    await isLive(alice);
    await alice.doc("users/alice/tasks/1").put({ n: 0 }).done;
    await alice.doc("users/alice/tasks/1").put({ n: 1 }).done;
    const { key } = alice.chat("alice:bob").send("was it sent?");
    await until(() => alice.outbox.list().length === 0, "all done");
    await alice.close();
    await own.end();
    // Three weeks later: the keys are gone, and the log begins anew.
    const database = new DatabaseSync(join(own.data, "watchwise.db"));
    database.exec("DELETE FROM keys");
    database.close();
    rmSync(join(own.data, "watchwise.head"));
    // As if the answers had been lost, and the device had been off since.
    const more = { state: "sent", firstSent: Date.now() - 21 * 86_400_000, attempts: 1, error: null };
    const entries = [
      { ...more, order: 11, key, lane: "chat:alice:bob", command: { type: "send", to: "bob", text: "was it sent?", key }, base: null, isChained: false },
      { ...more, order: 12, key: "doc", lane: "doc:users/alice/tasks/1", command: { type: "put", path: "users/alice/tasks/1", data: { n: 1 }, ifVersion: 1, key: "doc" }, base: { version: 1, data: { n: 0 } }, isChained: true },
    ];
    const stored = new DatabaseSync(storage);
    for (const entry of entries) stored.prepare('INSERT INTO outbox ("order", key, row) VALUES (?, ?, ?)').run(entry.order, entry.key, JSON.stringify(entry));
    stored.close();
    await own.start();
    alice = await own.open("alice", { storage });
    const list = shown(alice.chat("alice:bob"));
    await isLive(alice);
    await until(() => alice.outbox.list().map(({ state }) => state).join() === "uncertain", "the message is uncertain, the document is known as done");
    await until(() => list.items.at(-1)?.pending === "uncertain", "the list says so");
    assert.deepEqual(await history(own, "bob", "alice:bob"), ["was it sent?"]);
    assert.deepEqual((await own.command("alice", { type: "get", path: "users/alice/tasks/1" })).version, 2);
    assert.equal(await alice.outbox.retry(key), true);  // the app decides
    await until(() => alice.outbox.list().length === 0, "sent as a new write");
    assert.deepEqual(await history(own, "bob", "alice:bob"), ["was it sent?", "was it sent?"]);
    await alice.close();
    await own.end();
  });

  test("a connection that swallows everything is found out within 10 s of a write, which arrives once", async () => {
    const proxy = await new Proxy(server.port).start();
    const alice = await WatchWise.open({ server: proxy.address, token: async () => server.token("alice"), webSocket });
    await isLive(alice);
    const before = (await history(server, "bob", "alice:bob")).length;
    proxy.isSwallowing = true;
    const write = alice.chat("alice:bob").send("into the void");
    await pause(1000);
    const started = performance.now();
    await until(() => alice.state.name !== "live", "noticed", 12);
    const seconds = 1 + (performance.now() - started) / 1000;
    assert.ok(seconds <= 10.5, `${seconds} s`);
    proxy.isSwallowing = false;
    await write.done;
    assert.deepEqual((await history(server, "bob", "alice:bob")).slice(before), ["into the void"]);
    console.log(`# a half-open connection is noticed after ${seconds.toFixed(1)} s`);
    await alice.close();
    proxy.close();
  });

  test("a network that stalls, delays and cuts: each write once, in order", { timeout: 300_000 }, async () => {
    await server.befriend("carol", "dave");
    const proxy = await new Proxy(server.port).start();
    const carol = await WatchWise.open({ server: proxy.address, token: async () => server.token("carol"), webSocket });
    const dave = await server.open("dave");
    await isLive(carol, dave);
    const list = shown(dave.chat("carol:dave"), { limit: 200 });
    const writes = [];
    const seconds = isWhole ? 60 : 6;
    let cuts = 0;
    for (let turn = 0, end = performance.now() + seconds * 1000; performance.now() < end; turn++) {
      if (writes.length < 150) writes.push(carol.chat("carol:dave").send(`${writes.length}`));
      const dice = Math.random();
      if (turn % 15 === 14) proxy.cut(cuts += 1);
      proxy.delayMs = dice < 0.3 ? 200 : 0;
      await pause(seconds * 6);
    }
    proxy.delayMs = 0;
    await Promise.all(writes.map(write => write.done));
    const wanted = writes.map((_, index) => `${index}`);
    assert.deepEqual(await history(server, "dave", "carol:dave"), wanted);
    await until(() => texts(list).join() === wanted.join(), "the other's list");
    console.log(`# ${writes.length} writes over ${cuts} cuts`);
    await Promise.all([carol.close(), dave.close()]);
    proxy.close();
  });

  for (const [name, years, isJumping] of [["20 years late", -20, false], ["20 years early", 20, false], ["jumping", 20, true]]) {
    test(`a clock that is ${name} changes no order, no token and no wait`, async () => {
      const user = `clock${years}${isJumping}`;
      await server.befriend(user, "bob");
      const tokens = [server.token(user, { seconds: 34 }), server.token(user)];
      const program = fileURLToPath(new URL("wrong-clock.mjs", import.meta.url));
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--no-warnings", program, joined, server.address, user, `${years}`, isJumping ? "jumping" : "", ...tokens]);
      assert.equal(stderr, "");
      const result = JSON.parse(stdout);
      const wanted = Array.from({ length: 20 }, (_, index) => `${index}`);
      assert.deepEqual(result.texts, wanted);
      assert.deepEqual(await history(server, "bob", ["bob", user].sort().join(":")), wanted);
      assert.deepEqual(result.reasons, ["connect", "expiring"]);
      assert.deepEqual(result.states.filter(state => state !== "connecting" && state !== "catching-up"), ["live"]);
      assert.ok(Math.abs(result.serverTime - Date.now()) < 60_000, "the server's time is known");
      assert.deepEqual(result.trimmed, { before: 20, after: 20 });
    });
  }

  test("the server is restored from a backup in the middle of writes: the cache stays readable, and becomes the server's", async () => {
    const own = await new Server("restored").start();
    await own.befriend("alice", "bob");
    const alice = await own.open("alice");
    await isLive(alice);
    const [list, chats] = [shown(alice.chat("alice:bob"), { limit: 200 }), shown(alice.chats)];
    for (let n = 0; n < 10; n++) await alice.chat("alice:bob").send(`before ${n}`).done;
    await own.end();
    cpSync(own.data, `${own.data}-backup`, { recursive: true });
    await own.start();
    await isLive(alice);
    const lost = Array.from({ length: 10 }, (_, n) => alice.chat("alice:bob").send(`lost ${n}`));
    await Promise.all(lost.map(write => write.done));
    let fewest = Infinity;
    const off = alice.chat("alice:bob").watch(({ items }) => (fewest = Math.min(fewest, items.length)), { limit: 200 });
    const resets = [];
    alice.on("reset", ({ reason }) => resets.push(reason));
    const under = Array.from({ length: 20 }, (_, n) => alice.chat("alice:bob").send(`under way ${n}`));
    await own.end("SIGKILL");
    rmSync(own.data, { recursive: true });
    cpSync(`${own.data}-backup`, own.data, { recursive: true });
    rmSync(join(own.data, "watchwise.head"), { force: true });
    await own.start();
    await Promise.all(under.map(write => write.done));
    await isLive(alice);
    const there = await history(own, "bob", "alice:bob");
    assert.deepEqual(there.slice(0, 10), Array.from({ length: 10 }, (_, n) => `before ${n}`));
    const rest = there.slice(10);
    assert.deepEqual(rest, [...new Set(rest)], "nothing twice");
    assert.deepEqual(rest, under.map((_, n) => `under way ${n}`).slice(-rest.length), "in order");
    await until(() => list.complete && JSON.stringify(texts(list)) === JSON.stringify(there), () => `list ${texts(list)}, server ${there}`);
    off();
    assert.deepEqual(resets, ["epoch"]);
    assert.ok(fewest >= 10, `${fewest} items at a moment`);
    assert.equal(chats.items[0].last.text, there.at(-1));
    await alice.close();
    await own.end();
  });

  test("a token that expired during sleep, one that is refused once, and a slow source: one question for all, and no loop", async () => {
    const proxy = await new Proxy(server.port).start();
    const asked = [];
    let mode = "short";
    const alice = await WatchWise.open({ server: proxy.address, user: "alice", webSocket, token: async ({ reason }) => {
      asked.push(`${mode} ${reason}`);
      if (mode === "slow") await pause(1500);
      return mode === "short" ? server.token("alice", { seconds: 2 }) : server.token("alice");
    } });
    await isLive(alice);
    proxy.isSwallowing = true;  // as in sleep: nothing arrives, and nobody is told
    mode = "slow";
    await pause(3000);
    proxy.isSwallowing = false;
    proxy.cut();
    const writes = Array.from({ length: 20 }, (_, n) => alice.chat("alice:bob").send(`awake ${n}`));
    const requests = [1, 2, 3].map(() => alice.request({ type: "devices" }));
    await Promise.all([...requests, ...writes.map(write => write.done)]);
    assert.ok(asked.filter(text => text.startsWith("slow")).length <= 2, asked.join());
    assert.equal(alice.state.name, "live");
    await alice.close();
    proxy.close();
  });
});
