// The figures that Node gives; see `figures`.
import { setTimeout as pauseFor } from "node:timers/promises";
import { join } from "node:path";
import { Proxy } from "./proxy.mjs";
import { Server, folder, shown, until, webSocket } from "./served.mjs";

const row = (name, value) => console.log(`${name.padEnd(66)} ${value}`);
const median = numbers => [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
const server = await new Server("figures").start();
await server.befriend("alice", "bob");
const live = client => client.state.name === "live" ? client.state : new Promise(resolve => client.on("state", ({ name }) => name === "live" && resolve()));

// Connect to live on loopback; the first one loads code.
const times = [];
for (let run = 0; run < 11; run++) {
  const alice = await server.open("alice", { connect: false });
  const started = performance.now();
  alice.connect();
  await live(alice);
  times.push(performance.now() - started);
  await alice.close();
}
row("connect to live on loopback: median of 10", `${median(times.slice(1)).toFixed(1)} ms (the first ${times[0].toFixed(0)} ms)`);

// 100 clients, a server that starts again.
const clients = await Promise.all(Array.from({ length: 100 }, (_, n) => server.open(`user${n}`, { storage: "memory" })));
await Promise.all(clients.map(live));
const [p99s, medians] = [[], []];
for (let run = 0; run < 3; run++) {
  await server.end("SIGKILL");
  await until(() => clients.every(client => client.state.name !== "live"), "all have noticed");
  await server.start();
  const started = performance.now();
  const after = await Promise.all(clients.map(async client => {
    await live(client);
    return performance.now() - started;
  }));
  after.sort((one, other) => one - other);
  p99s.push(after[98]);
  medians.push(after[50]);
}
row("server started again to live, 100 clients: p99, median of 3", `${median(p99s).toFixed(0)} ms (half of them ${median(medians).toFixed(0)} ms)`);
await Promise.all(clients.map(client => client.close()));

// Memory of cached messages.
const alice = await server.open("alice", { connect: false, storage: "memory" });
globalThis.gc();
const before = process.memoryUsage().heapUsed;
for (let at = 0; at < 10_000; at += 500)
  await alice.core.store.write(Array.from({ length: 500 }, (_, i) => ({ put: ["messages", { chat: "alice:bob", n: at + i + 1, seq: at + i, from: "bob", at: "2026-11-21T10:00:00.123Z", text: "hello, this is a message", rev: 1 }] })));
globalThis.gc();
row("memory of 10,000 cached messages (store in memory)", `${((process.memoryUsage().heapUsed - before) / 1e6).toFixed(1)} MB`);
await alice.close();

// One message more in a long list, from the event to the list that the app gets; the store is a file.
const CHAT = "alice:bob";
const about = { connect: false, batchMs: 0 };
async function filled(count) {
  const client = await server.open("alice", { ...about, storage: join(folder, `${count}.db`) });
  await until(() => client.core.engine, "it leads");
  client.core.engine.hello = { epoch: "e", seq: 0 };
  for (let at = 0; at < count; at += 500) await client.core.store.write(Array.from({ length: 500 }, (_, i) => ({ put: ["messages", message(at + i + 1)] })));
  await client.core.store.write([{ put: ["chats", { chat: CHAT, with: "bob", unread: 0, read: 0, peerRead: 0, top: count, gaps: [], seq: count }] }]);
  return client;
}
const message = n => ({ chat: CHAT, n, seq: n, from: n % 2 ? "alice" : "bob", ...(n % 2 && { key: `key${n}` }), at: "2026-11-21T10:00:00.123Z", text: "hello, this is a message", rev: 1 });
for (const count of [10_000, 100_000]) {
  const client = await filled(count);
  const list = shown(client.chat(CHAT), { limit: Infinity });
  await until(() => list.items.length === count, "it shows all");
  const lasted = [];
  for (let n = count + 1; n <= count + 31; n++) {
    await pauseFor(30);
    const started = performance.now();
    client.core.engine.report_event({ type: "message", ...message(n) });
    while (list.items.length !== n) await new Promise(resolve => setImmediate(resolve));
    lasted.push(performance.now() - started);
  }
  row(`one message more in a list of ${count.toLocaleString("en")}: median of 31`, `${median(lasted).toFixed(1)} ms`);
  await client.close();
}

// Memory of a list that shows 50 of many messages: that of 20 lists, divided.
const long = await filled(100_000);
async function windows(count) {
  const lists = Array.from({ length: count }, () => shown(long.chat(CHAT), { limit: 50 }));
  await until(() => lists.every(({ items }) => items.length === 50), "they show 50");
  globalThis.gc();
  return lists;
}
for (const { off } of await windows(1)) off();  // loads code
const unwatched = process.memoryUsage().heapUsed;
const lists = await windows(20);
row("memory of a list of 100,000 messages with a window of 50", `${((process.memoryUsage().heapUsed - unwatched) / lists.length / 1024).toFixed(0)} KiB`);
await long.close();

// The first read of an application, which does not wait for the connection.
const first = await server.open("alice");
await first.chat(CHAT).send("Hello").done;
await first.close();
const reads = [];
for (let run = 0; run < 11; run++) {
  const client = await server.open("alice");
  const started = performance.now();
  await client.chat(CHAT).history({ limit: 50 });
  reads.push(performance.now() - started);
  await client.close();
}
row("first read after `open`, with its connection: median of 11", `${median(reads).toFixed(1)} ms`);

// A write with which each connection ends, as behind a proxy that hates it; and one after it.
const network = await new Proxy(server.port).start();
let [made, ended] = [0, 0];
class Hated extends webSocket {
  constructor(...about) {
    super(...about);
    made += 1;
  }

  send(text) {
    super.send(text);
    if (!text.includes("poison")) return;
    ended += 1;
    network.cut();
  }
}
const writer = await server.open("alice", { server: network.address, webSocket: Hated, storage: "memory" });
await until(() => writer.state.name === "live", "live");
const [poisoned, next] = ["poison", "after it"].map(text => writer.chat(CHAT).send(text));
const outcomes = Promise.all([poisoned.done.then(() => "done", ({ code }) => code), next.done.then(() => "done", ({ code }) => code)]);
await pauseFor(60_000);
const said = `${made} made, in a minute (the write: ${(await outcomes).join("; the one after it: ")})`;
row("connections that end with a write with which each one would", `${ended} of ${said}`);
await writer.close();
network.close();

await pauseFor(10);
await server.end();
process.exit(0);
