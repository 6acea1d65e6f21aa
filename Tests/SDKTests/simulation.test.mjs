// The outbox against a model of a server, a store and a network, from seeds: commands and replies are lost, the store is
// slow, processes die, another device writes. Each write that was kept is done once, in the order of its lane.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OutboxMachine } from "../../Sources/Device/WebLibrary/Files/outbox.js";
import { SessionMachine } from "../../Sources/Device/WebLibrary/Files/session.js";
import { differences, identityOf } from "../../Sources/Device/WebLibrary/Files/overlay.js";
import { isSame, mergePatch } from "../../Sources/Device/WebLibrary/Files/patches.js";
import { randomOf } from "./seeds.mjs";

const SEEDS = Number(process.env.SDK_SEEDS ?? (process.env.SDK_WHOLE ? 10_000 : 1000));

class World {
  constructor(seed) {
    this.random = randomOf(seed);
    this.now = 0;
    this.server = { log: [], replies: new Map(), documents: new Map(), done: [] };
    this.stored = { entries: new Map(), order: 0, cursor: 0 };
    this.rows = new Map();
    this.calls = [];         // what the app wrote, in order: {key, keys, command, outcome, isKept}
    this.count = 0;
    this.restart();
  }

  chance(probability) {
    return this.random() < probability;
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  restart() {
    this.machine = new OutboxMachine({ user: "alice", lanesMax: 3 }, this.random);
    this.units = [];         // transactions under way: {changes, kept, cursor}
    this.outgoing = [];
    this.incoming = [];
    this.flying = new Set();
    this.isConnected = false;
    this.delivered = this.stored.cursor;
    for (const call of this.calls) if (!call.isKept && !call.outcome) call.outcome = "died";
    const entries = [...this.stored.entries.values()].sort((one, other) => one.order - other.order);
    this.feed({ restored: { entries: structuredClone(entries) } });
  }

  feed(input, cursor) {
    const actions = this.machine.step(structuredClone(input), this.now);
    const unit = { changes: [], kept: [], cursor };
    for (const action of structuredClone(actions)) {
      const [name] = Object.keys(action);
      const value = action[name];
      if (name === "keep" || name === "save") unit.changes.push({ put: value });
      if (name === "keep") unit.kept.push(value.key);
      if (name === "remove") unit.changes.push({ remove: value });
      if (name === "send") {
        assert.ok(this.isConnected && this.isLive, "nothing is sent before live");
        assert.equal(this.stored.entries.get(this.orderOf(value.key))?.state, "sent", "the store knows it before it is sent");
        this.flying.add(value.key);
        this.outgoing.push(value);
        const lanes = [...this.flying].map(key => this.machine.find(key)?.entry.lane);
        assert.equal(new Set(lanes).size, lanes.length, "one write of a lane");
        assert.ok(lanes.length <= 3);
      }
      if (name === "kept") for (const call of this.calls) if (call.key === value.key && !call.outcome) call.isKept = true;
      if (name === "merged") Object.assign(this.callOf(value.key), { key: value.into });
      if (name === "renamed") for (const call of this.calls) if (call.key === value.key) call.key = value.to;
      if (name === "done") for (const call of this.calls) if (call.key === value.key && call.outcome !== "died") call.outcome = value.ok ? "done" : value.error.class;
      if (name === "refused") assert.equal(value.error.code, "already-sent");
    }
    if (unit.changes.length || cursor) this.units.push(unit);
  }

  callOf(key) {
    return this.calls.findLast(call => call.key === key);
  }

  orderOf(key) {
    for (const entry of this.stored.entries.values()) if (entry.key === key) return entry.order;
  }

  applyUnit() {
    const unit = this.units.shift();
    if (!unit) return;
    const orders = {};
    for (const { put, remove } of unit.changes) {
      if (put) {
        const order = put.order ?? this.orderOf(put.key) ?? (this.stored.order += 1);
        orders[put.key] = order;
        this.stored.entries.set(order, { ...put, order });
      } else this.stored.entries.delete(this.orderOf(remove));
    }
    if (unit.cursor) this.stored.cursor = unit.cursor;
    for (const { remove } of unit.changes) if (remove) this.feed({ removed: remove });
    for (const key of unit.kept) this.feed({ kept: { key, order: orders[key], durable: true } });
  }

  write() {
    const key = `k${this.count += 1}`;
    const path = this.pick(["users/alice/tasks/1", "users/alice/tasks/2"]);
    const kind = this.random();
    const command = kind < 0.5 ? { type: "send", chat: this.pick(["alice:bob", "alice:carol"]), text: key, key }
      : kind < 0.6 ? { type: "read", chat: "alice:bob", n: this.count, key }
        : kind < 0.65 ? { type: "preferences", set: { [this.pick(["a", "b"])]: this.count }, key }
          : { type: "patch", path, data: { [this.pick(["a", "b"])]: this.count }, key };
    this.calls.push({ key, command, lane: command.path ?? command.chat, outcome: null, isKept: false });
    this.feed({ write: { key, command, base: this.rows.get(path) ?? null } });
  }

  append(event) {
    this.server.log.push({ ...event, seq: this.server.log.length + 1 });
    return this.server.log.length;
  }

  /** The server takes one command: refuses it for now, or does it; its reply stands after its event. */
  serve() {
    const sent = this.outgoing.shift();
    if (!sent) return;
    const { key, command } = sent;
    if (this.chance(0.15)) return void this.incoming.push({ reply: { key, error: { code: "x", class: this.pick(["retry", "limit", "auth"]), message: "", retryAfterMs: 5 } } });
    const before = this.server.replies.get(key);
    if (before) {
      assert.deepEqual(before.command, command, "a key stands for one content");
      return void this.incoming.push({ reply: { key, ok: before.ok } });
    }
    const ok = this.execute(command);
    if (ok.error) return void this.incoming.push({ reply: { key, error: ok.error } });
    this.server.replies.set(key, { command, ok });
    this.server.done.push({ key, command });
    this.incoming.push({ reply: { key, ok } });
  }

  execute(command) {
    const { type, key, chat, path } = command;
    if (type === "send") {
      const n = this.server.log.filter(event => event.type === "message" && event.chat === chat).length + 1;
      const seq = this.append({ type: "message", chat, n, from: "alice", key, at: "t" });
      this.deliver();
      return { chat, n, seq, at: "t" };
    }
    if (type === "read") {
      const seq = this.append({ type: "read", chat, user: "alice", n: command.n, key });
      this.deliver();
      return { seq };
    }
    if (type === "preferences") {
      this.server.preferences = mergePatch(this.server.preferences ?? {}, command.set);
      this.append({ type: "preferences", preferences: this.server.preferences, key });
      this.deliver();
      return this.server.preferences;
    }
    const present = this.server.documents.get(path) ?? { version: 0, data: null };
    if (command.ifVersion !== present.version) return { error: { code: "conflict", class: "permanent", message: "", ...present } };
    const next = { version: present.version + 1, data: mergePatch(present.data, command.data) };
    this.server.documents.set(path, next);
    return { path, ...next };
  }

  deliver() {
    if (!this.isConnected) return;
    for (; this.sentUpTo < this.server.log.length; this.sentUpTo++) this.incoming.push({ event: this.server.log[this.sentUpTo] });
  }

  receive() {
    const message = this.incoming.shift();
    if (!message) return;
    if (message.live) {
      this.isLive = true;
      return this.feed({ live: { time: this.now } });
    }
    if (message.event) return this.feed({ event: message.event }, message.event.seq);
    const { key, ok } = message.reply;
    this.flying.delete(key);
    if (ok?.path) this.rows.set(ok.path, { version: ok.version, data: ok.data });
    this.feed({ reply: message.reply });
  }

  connect() {
    if (this.isConnected) return;
    while (this.units.length) this.applyUnit();  // the cursor that is named is the store's
    this.isConnected = true;
    this.isLive = false;
    this.sentUpTo = this.stored.cursor;
    this.incoming = [];
    this.deliver();
    this.incoming.push({ live: true });
  }

  disconnect() {
    if (!this.isConnected) return;
    // What is on its way arrives there, or does not.
    while (this.outgoing.length && this.chance(0.5)) this.serve();
    this.isConnected = false;
    this.outgoing = [];
    this.incoming = [];
    const flying = [...this.flying];
    this.flying.clear();
    this.isLive = false;
    for (const key of flying) this.feed({ reply: { key, lost: true } });
    this.feed({ offline: true });
  }

  /** Another device of the user changes a member of its own. */
  meddle() {
    const path = this.pick(["users/alice/tasks/1", "users/alice/tasks/2"]);
    const { version, data } = this.server.documents.get(path) ?? { version: 0, data: null };
    this.server.documents.set(path, { version: version + 1, data: mergePatch(data, { other: version }) });
  }

  step() {
    this.now += Math.floor(this.random() * 20);
    const kind = this.random();
    if (kind < 0.2) this.write();
    else if (kind < 0.45) this.applyUnit();
    else if (kind < 0.6) this.serve();
    else if (kind < 0.8) this.receive();
    else if (kind < 0.88) this.connect();
    else if (kind < 0.91) this.disconnect();
    else if (kind < 0.92) {
      this.disconnect();
      this.restart();
    } else if (kind < 0.94) this.meddle();
    else if (kind < 0.96 && this.calls.length) this.feed({ cancel: this.pick(this.calls).key });
    else this.feed({ tick: true });
  }

  /** The network holds, until nothing waits. */
  settle() {
    for (let turn = 0; this.machine.items.length || this.units.length || this.incoming.length; turn++) {
      assert.ok(turn < 20_000, `it does not come to rest: ${JSON.stringify(this.machine.items)}`);
      this.connect();
      if (this.units.length) this.applyUnit();
      else if (this.incoming.length) this.receive();
      else if (this.outgoing.length) this.serve();
      else {
        assert.notEqual(this.machine.deadline, null, `nothing is due, and something waits: ${JSON.stringify(this.machine.items)}`);
        this.now = Math.max(this.now, this.machine.deadline);
        this.feed({ tick: true });
      }
    }
  }

  check() {
    const done = new Map(this.server.done.map(({ key }, index) => [key, index]));
    assert.equal(done.size, this.server.done.length, "each once");
    for (const call of this.calls) {
      if (call.isKept && call.outcome === null) assert.ok(done.has(call.key), `kept, and not done: ${JSON.stringify(call)}`);
      if (call.outcome === "done" && !done.has(call.key)) {
        // A patch that had changed something already, or preferences that hold already, need not have been sent.
        assert.ok(["patch", "preferences"].includes(call.command.type), JSON.stringify(call));
      }
      if (call.outcome === "cancelled") assert.ok(!done.has(call.key), "cancelled, and done");
    }
    for (const chat of ["alice:bob", "alice:carol"]) {
      const texts = this.server.done.filter(({ command }) => command.type === "send" && command.chat === chat).map(({ command }) => Number(command.text.slice(1)));
      assert.deepEqual(texts, [...texts].sort((one, other) => one - other), "in order");
    }
    for (const [path, { data }] of this.server.documents) {
      for (const name of ["a", "b"]) {
        const last = this.calls.filter(({ command, outcome, isKept }) => command.path === path && name in command.data && isKept && outcome !== "cancelled" && outcome !== "permanent").at(-1);
        const died = this.calls.some(({ command, outcome }) => command.path === path && outcome === "died");
        if (last && !died) assert.equal(data[name], last.command.data[name], `${path} ${name}`);
      }
    }
    assert.equal(this.stored.entries.size, 0, "nothing is left in the store");
  }
}

test(`${SEEDS} seeds of the outbox: each write once, in order, whatever is lost or dies`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = new World(seed);
    try {
      for (let step = 0; step < 200; step++) world.step();
      world.settle();
      world.check();
    } catch (error) {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    }
  }
});

test(`${SEEDS} seeds of a hostile server: the session reports violations, and goes on or ends`, () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = randomOf(seed);
    const pick = list => list[Math.floor(random() * list.length)];
    const value = () => pick([null, true, -1, 0, 1.5, 7, 2 ** 60, "", "live", "e-1", [], [1], {}, { epoch: "e-1" }, undefined]);
    const hello = () => ({ user: "alice", epoch: pick(["e-1", "e-2", value()]), seq: pick([10, value()]), heartbeat: pick([25000, value()]), unread: pick([{ chats: 1, notifications: 1 }, value()]) });
    const message = () => pick([
      value(), { re: value(), ok: value() }, { re: 1 + Math.floor(random() * 5), ok: hello() }, { re: value(), error: pick([value(), { code: "x", class: pick(["permanent", "retry", "auth", "limit", "odd"]), retryAfterMs: value() }]) },
      { type: pick(["live", "reset", "beat", "bye", "expiring", "message", "odd", value()]), seq: value(), events: value(), reason: value(), reconnectInMs: value() },
    ]);
    const machine = new SessionMachine({ storing: random() < 0.5, since: pick([null, { epoch: "e-1", seq: 3 }]) }, random);
    let now = 0;
    const inputs = [];
    try {
      for (let step = 0; step < 100; step++) {
        now += Math.floor(random() * 5000);
        const input = pick([
          { start: true }, { tick: true }, { opened: { token: "t" } }, { receive: message() }, { receive: message() }, { receive: message() }, { receiveText: pick(["{", "[]", "null", "\u0000", "{\"re\":1,\"ok\":{}}"]) },
          { ended: pick([{ lost: null }, { closed: { code: pick([null, 1000, 4401, 4409, 4501]), reason: "" } }]) }, { hint: pick(["offline", "online", "visible", "hidden", "woke"]) },
          { submit: { command: { type: pick(["send", "typing"]), key: "k" } } }, { renew: pick([{}, { token: "u" }]) }, { stored: { epoch: "e-1", seq: Math.floor(random() * 100) } },
        ]);
        inputs.push(input);
        const actions = machine.step(input, now);
        for (const { send } of actions) if (send) assert.ok(JSON.stringify(send));
        const { deadline } = machine;
        assert.ok(deadline === null || Number.isFinite(deadline), `the deadline is ${deadline}`);
        if (machine.phase.name === "waiting") assert.ok(deadline !== null && deadline - now <= 3_600_500);
      }
    } catch (error) {
      error.message = `seed ${seed}: ${error.message} after ${JSON.stringify(inputs.slice(-3))}`;
      throw error;
    }
  }
});

/** The steps of a list without any shortcut: each item is taken out, and put where it is to stand. */
function plainDifferences(before, after, user) {
  const wanted = after.map(item => identityOf(item, user));
  const list = [...before];
  const changes = [];
  for (let index = list.length - 1; index >= 0; index--) {
    if (!wanted.includes(identityOf(list[index], user))) changes.push({ kind: "remove", index, item: list.splice(index, 1)[0] });
  }
  for (const [index, item] of after.entries()) {
    const from = list.findIndex((other, place) => place >= index && identityOf(other, user) === wanted[index]);
    if (from < 0) changes.push({ kind: "add", index, item });
    else if (from !== index) changes.push({ kind: "move", from, index, item });
    else if (!isSame(list[from], item)) changes.push({ kind: "change", index, item });
    if (from >= 0) list.splice(from, 1);
    list.splice(index, 0, item);
  }
  while (list.length > after.length) changes.push({ kind: "remove", index: list.length - 1, item: list.pop() });
  return changes;
}

test(`the steps between two lists are those of the plain way: ${20 * SEEDS} pairs`, () => {
  const random = randomOf(7);
  const list = () => Array.from({ length: Math.floor(random() * 9) }, () => ({ topic: `t${Math.floor(random() * 10)}`, version: Math.floor(random() * 2) }));
  for (let pair = 0; pair < 20 * SEEDS; pair++) {
    const [before, after] = [list(), list()];
    assert.deepEqual(differences(before, after, "alice"), plainDifferences(before, after, "alice"), JSON.stringify([before, after]));
  }
});

test("one message more in a list of 100,000 is found in one pass", () => {
  const row = n => ({ chat: "alice:bob", n, from: n % 2 ? "alice" : "bob", text: `message number ${n}`, key: n % 2 ? `key${n}` : undefined, rev: 1 });
  const rows = Array.from({ length: 100_000 }, (_, index) => row(index + 1));
  const again = structuredClone([...rows, row(100_001)]);
  const started = performance.now();
  const changes = differences(rows, again, "alice");
  const ms = performance.now() - started;
  assert.deepEqual(changes, [{ kind: "add", index: 100_000, item: again.at(-1) }]);
  assert.ok(ms < 10_000, `${ms} ms`);
  console.log(`# ${Math.round(ms)} ms`);
});
