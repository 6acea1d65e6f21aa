// A server that means harm, or somebody in between: huge, malformed, out of order. Machines from seeds, then the library.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutboxMachine } from "../../Sources/Device/WebLibrary/Files/outbox.js";
import { SessionMachine } from "../../Sources/Device/WebLibrary/Files/session.js";
import { mirrorEvent, rowsOf } from "../../Sources/Device/WebLibrary/Files/mirror.js";
import { randomOf } from "./seeds.mjs";
import { WatchWise, pause, shown, until } from "./served.mjs";

const SEEDS = process.env.SDK_WHOLE ? 100_000 : 2000;
const NAMES = ["message", "message.edited", "message.deleted", "reaction", "read", "delivered", "archived", "room", "chat.renamed", "followed", "unfollowed",
  "preferences", "unread", "notification", "notification.seen", "notification.removed", "document", "live", "reset", "beat", "bye", "expiring", "unwatched",
  "typing", "presence", "blocked", "no-such-type", "__proto__", "constructor"];
const MEMBERS = ["seq", "chat", "n", "from", "user", "text", "key", "rev", "ids", "id", "upTo", "path", "version", "data", "topic", "emoji", "on", "to", "room", "change",
  "users", "preferences", "chats", "notifications", "reason", "reconnectInMs", "events", "at", "product", "expires", "re", "ok", "error", "__proto__"];

/** Anything that JSON can say, the likely more often. */
function anything(random, depth = 0) {
  const pick = list => list[Math.floor(random() * list.length)];
  const kind = random();
  if (kind < 0.25) return pick([0, 1, 2, 3, 7, -1, 1.5, 2 ** 53, 1e308, -0]);
  if (kind < 0.5) return pick(["", "alice:bob", "bob", "alice", "room:r", "users/alice/tasks/1", "k1", "k2", "e", "x".repeat(300), "__proto__", "\u0000", "👍"]);
  if (kind < 0.6) return pick([null, true, false]);
  if (depth > 2) return {};
  if (kind < 0.7) return Array.from({ length: Math.floor(random() * 4) }, () => anything(random, depth + 1));
  const object = {};
  for (let count = Math.floor(random() * 5); count > 0; count--)
    Object.defineProperty(object, pick(MEMBERS), { value: anything(random, depth + 1), enumerable: true, configurable: true, writable: true });
  return object;
}

function message(random) {
  const made = anything(random, 0);
  if (random() < 0.1 || typeof made !== "object" || made === null) return made;
  if (random() < 0.3) {
    made.re = Math.floor(random() * 6);
    const error = { class: ["permanent", "retry", "auth", "limit", "x"][Math.floor(random() * 5)], code: "x", message: "x", retryAfterMs: random() < 0.5 ? anything(random) : undefined };
    return Object.assign(made, random() < 0.5 ? { ok: anything(random) } : { error });
  }
  made.type = NAMES[Math.floor(random() * NAMES.length)];
  if (random() < 0.7) Object.assign(made, { seq: Math.floor(random() * 50), chat: "alice:bob", n: Math.floor(random() * 5), from: "bob" });
  return made;
}

/** Numbers that time and memory depend on. */
function check(machine, seed) {
  assert.ok(machine.deadline === null || Number.isFinite(machine.deadline), `seed ${seed}: deadline ${machine.deadline}`);
}

test(`the session's machine takes anything from the network: ${SEEDS} seeds`, () => {
  const states = new Set();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = randomOf(seed);
    const session = new SessionMachine({ device: "d", storing: seed % 2 === 0, onReplaced: seed % 3 ? "end" : "reconnect" }, random);
    let at = 0;
    const step = input => {
      at += Math.floor(random() * 3000);
      try {
        for (const action of session.step(input, at)) {
          JSON.stringify(action);
          if (action.connect) pending.push({ opened: { token: "t" } });
          if (action.disconnect) pending.push({ ended: { closed: { code: 1000, reason: "" } } });
          if (action.renewToken) pending.push({ renew: { token: "t" } });
        }
      } catch (error) {
        throw new Error(`seed ${seed}: ${JSON.stringify(input)}: ${error.stack}`, { cause: error });
      }
      states.add(session.state.name);
      check(session, seed);
    };
    const pending = [{ start: true }];
    for (let count = 0; count < 60 && pending.length < 100; count++) {
      while (pending.length) step(pending.shift());
      const dice = random();
      if (session.phase.name === "hello" && dice < 0.5) step({ receive: { re: session.phase.id, ok: { epoch: "e", seq: 3, heartbeat: 1000, unread: { chats: 0, notifications: 0 } } } });
      else if (dice < 0.7) step({ receive: message(random) });
      else if (dice < 0.75) step({ receiveText: random() < 0.5 ? "{" : JSON.stringify(message(random)) ?? "" });
      else if (dice < 0.8) step({ submit: { command: { type: "ping" } } });
      else if (dice < 0.85) step({ hint: ["offline", "online", "visible", "hidden", "woke"][Math.floor(random() * 5)] });
      else if (dice < 0.9) step({ stored: { epoch: "e", seq: Math.floor(random() * 50) } });
      else step({ tick: true });
    }
    assert.ok(session.commands.entries.size <= 60);
  }
  for (const name of ["live", "catching-up", "waiting", "connecting", "blocked", "signed-out"]) assert.ok(states.has(name), `${name} was never reached`);
});

test(`the outbox's machine and the mirror take anything: ${SEEDS} seeds`, () => {
  let refused = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = randomOf(seed);
    const outbox = new OutboxMachine({ user: "alice" }, random);
    let at = 0;
    const feed = input => {
      at += Math.floor(random() * 1000);
      for (const { keep } of outbox.step(input, at)) if (keep) feed({ kept: { key: keep.key, order: keep.order ?? at } });
      check(outbox, seed);
    };
    feed({ live: { time: 1 } });
    for (const key of ["k1", "k2"]) feed({ write: { key, command: { type: "send", chat: "alice:bob", text: key, key } } });
    feed({ write: { key: "k3", command: { type: "patch", path: "users/alice/tasks/1", data: { a: 1 }, key: "k3" } } });
    for (let count = 0; count < 20; count++) {
      const made = message(random);
      if (typeof made !== "object" || made === null) continue;
      if (made.type) {
        feed({ event: made });
        try {
          rowsOf(made);
          mirrorEvent(made, new Map(), { user: "alice", head: 0 });
        } catch {
          refused += 1;  // the engine reports it, and goes on
        }
      }
      if (made.error || made.ok) feed({ reply: { key: ["k1", "k2", "k3"][count % 3], ok: made.ok, error: made.ok ? undefined : made.error } });
    }
    assert.ok(outbox.entries.length <= 3);
  }
  console.log(`# ${refused} events that the mirror cannot take`);
});

/** A socket to a server that means harm: it answers what the library needs to be live. */
function hostileSockets() {
  return class Socket {
    static last;
    readyState = 0;
    constructor() {
      Socket.last = this;
      setTimeout(() => {
        this.readyState = 1;
        this.onopen?.({});
      });
    }
    send(text) {
      const { id, type } = JSON.parse(text);
      const answers = {
        hello: { user: "alice", device: "d", epoch: "e", seq: 1, heartbeat: 60_000, unread: { chats: 0, notifications: 0 }, time: new Date().toISOString() },
        chats: { chats: [] }, notifications: { notifications: [], unread: 0 }, following: { topics: [], count: 0 }, "room.invitations": { invitations: [], count: 0 }, preferences: {}, ping: { time: "" },
      };
      setTimeout(() => {
        this.say({ re: id, ok: answers[type] ?? {} });
        if (type === "hello") this.say({ type: "live", seq: 1 });
      });
    }
    say(message) {
      this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
    }
    close() {
      this.readyState = 3;
    }
  };
}

async function victim() {
  const webSocket = hostileSockets();
  const ww = await WatchWise.open({ server: "http://hostile.example", user: "alice", token: async () => "t", webSocket });
  await until(() => ww.state.name === "live", "live");
  const seen = { kinds: [], storage: [] };
  ww.on("violation", event => seen.kinds.push(Object.keys(event.violation)[0]));
  ww.on("storage", event => seen.storage.push(event));
  return { ww, say: text => webSocket.last.say(text), seen };
}

test("the library goes on after anything: it reports violations, and shows what is right", async () => {
  const { ww, say, seen } = await victim();
  const unhandled = [];
  const note = error => unhandled.push(error);
  process.on("unhandledRejection", note);
  const lists = [shown(ww.chats), shown(ww.chat("alice:bob")), shown(ww.inbox), shown(ww.unread), shown(ww.preferences), shown(ww.topics)];
  const random = randomOf(7);
  let seq = 10;
  for (let count = 0; count < 3000; count++) {
    const made = message(random);
    // What ends the session is tried elsewhere.
    if (made?.re !== undefined || ["reset", "bye", "beat", "expiring"].includes(made?.type)) continue;
    if (made && typeof made === "object" && Number.isInteger(made.seq)) made.seq = seq += 1;
    say(made === undefined ? "undefined" : JSON.stringify(made));
    if (count % 100 === 0) await pause(1);
  }
  for (const text of ["", "{", "[]", "null", '{"type":7}', "x".repeat(1e6)]) say(text);
  say({ seq: seq += 1, type: "message", chat: "alice:good", n: 1, from: "good", text: "still here", at: "2026-01-01T00:00:00.000Z" });
  await until(() => lists[0].items.some(({ last }) => last?.text === "still here"), "the message after all that");
  assert.equal(ww.state.name, "live");
  assert.ok(seen.kinds.length > 100, `${seen.kinds.length}`);
  assert.deepEqual(seen.storage, []);
  assert.deepEqual(unhandled, []);
  assert.equal({}.polluted ?? Object.prototype.seq, undefined);
  console.log(`# ${seen.kinds.length} violations reported`);
  process.off("unhandledRejection", note);
  await ww.close();
});

test("repetitions and huge messages cost no memory that stays", { skip: !globalThis.gc && "needs --expose-gc" }, async () => {
  const { ww, say, seen } = await victim();
  say({ seq: 100, type: "message", chat: "alice:bob", n: 1, from: "bob", text: "one", at: "2026-01-01T00:00:00.000Z" });
  await pause(50);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 300; count++) {
    say({ seq: 50, type: "message", chat: `alice:bob${count}`, n: 1, from: "bob", text: `${count}`.padEnd(1e6, "x"), at: "" });
    say(`{"type":"typing","chat":"${count}","user":"${"y".repeat(1e5)}"}`);
  }
  await pause(200);
  globalThis.gc();
  const megabytes = (process.memoryUsage().heapUsed - before) / 1e6;
  assert.equal(seen.kinds.filter(kind => kind === "notAscending").length, 300);
  assert.ok(megabytes < 20, `${megabytes} MB stay of 330`);
  console.log(`# ${megabytes.toFixed(1)} MB stay of 330 MB`);
  await ww.close();
});
