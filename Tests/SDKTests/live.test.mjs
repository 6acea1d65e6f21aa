// The small library, `watchwise/live`, against a real server.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { BlockingProxy } from "./proxy.mjs";
import { Server, folder, until, webSocket } from "./served.mjs";

const { WatchWise, WatchWiseError } = await import(pathToFileURL(join(folder, "sdk/watchwise-live.js")));
let server;
before(async () => {
  server = await new Server("live", { heartbeat: 500 }).start();
  await server.befriend("alice", "bob", "carol");
});
after(() => server.end());

const open = (user, more = {}) => WatchWise.open({ server: server.address, token: async () => server.token(user), webSocket, ...more });
const live = client => until(() => client.state.name === "live", () => JSON.stringify(client.state));
/** Those that follow each other have notifications of that. */
const clear = async user => {
  const { notifications } = await server.command(user, { type: "notifications", limit: 200 });
  if (notifications.length) await server.command(user, { type: "archive", ids: notifications.map(({ id }) => id) });
};
const notify = (user, title) => server.call("operator", "POST", "/v1/broadcasts", { audience: `user:${user}`, title }, { scope: "admin" });
/** What is shown now. */
function shown(list, ...options) {
  const seen = { told: 0 };
  seen.off = list.watch(now => Object.assign(seen, now, { told: seen.told + 1 }), ...options);
  return seen;
}

test("events, counts and the inbox are told, and go on where they were after the server was killed", async () => {
  await clear("alice");
  const alice = await open("alice");
  const [events, violations] = [[], []];
  alice.on("message", event => events.push(event.text));
  alice.on("violation", violation => violations.push(violation));
  const [inbox, unread] = [shown(alice.inbox), shown(alice.unread)];
  assert.deepEqual([inbox.items, inbox.complete, unread.complete], [[], false, false], "at once");
  await until(() => inbox.complete && unread.complete, "the inbox");
  assert.equal(alice.user, "alice");
  await server.command("bob", { type: "send", to: "alice", text: "one", key: "l1" });
  await notify("alice", "First");
  await until(() => events.join() === "one" && inbox.items[0]?.title === "First" && unread.value.notifications === 1 && unread.value.chats === 1, "all of it");
  await server.end("SIGKILL");
  await until(() => !inbox.complete && !unread.complete, "it is out of step");
  assert.equal(inbox.items[0].title, "First");
  await server.start();
  // Before the client is here again.
  await server.command("bob", { type: "send", to: "alice", text: "two", key: "l2" });
  await notify("alice", "Second");
  await until(() => events.join() === "one,two" && inbox.complete && inbox.items.map(item => item.title).join() === "Second,First", "what was missed, once");
  const { unread: left } = await alice.inbox.seen({ ids: [inbox.items[0].id] });
  assert.equal(left, 1);
  await until(() => inbox.items[0].seen && !inbox.items[1].seen, "seen");
  await alice.inbox.archive([inbox.items[1].id]);
  await until(() => inbox.items.length === 1 && unread.value.notifications === 0, "archived");
  await alice.inbox.snooze([inbox.items[0].id], new Date(Date.now() + 3_600_000));
  await until(() => inbox.items.length === 0, "snoozed");
  inbox.off();
  const told = inbox.told;
  await notify("alice", "Third");
  await until(async () => (await alice.inbox.list({ limit: 1 })).notifications[0]?.title === "Third", "listed");
  assert.equal(inbox.told, told);
  assert.deepEqual(violations, []);
  await alice.close();
});

test("a list has as many as the largest watch asks for", async () => {
  await clear("carol");
  for (const n of [1, 2, 3]) await notify("carol", `${n}`);
  const carol = await open("carol");
  const titles = list => list.items.map(item => item.title).join();
  const two = shown(carol.inbox, { limit: 2 });
  await until(() => titles(two) === "3,2", "two");
  await notify("carol", "4");
  await until(() => titles(two) === "4,3", "still two");
  const more = shown(carol.inbox, { limit: 50 });
  await until(() => titles(more) === "4,3,2,1", "all");
  await carol.close();
});

test("requests are answered or refused, and an iteration ends with the client", async () => {
  const bob = await open("bob");
  await live(bob);
  const { n } = await bob.request({ type: "send", to: "alice", text: "asked", key: "l3" });
  assert.ok(n > 0);
  await assert.rejects(bob.request({ type: "send", to: "alice" }), error => error instanceof WatchWiseError && error.kind === "permanent" && error.field === "text");
  await assert.rejects(bob.request({ type: "put", path: "users/bob/tasks/1", data: { text: "x".repeat(200_000) }, key: "l4" }), { code: "too-large" });
  const heard = [];
  const iteration = (async () => {
    for await (const event of bob.events()) heard.push(event.type);
  })();
  await server.command("alice", { type: "send", to: "bob", text: "heard", key: "l5" });
  await until(() => heard.includes("message"), "heard");
  await bob.disconnect();
  assert.equal(bob.state.name, "idle");
  await server.command("alice", { type: "send", to: "bob", text: "missed", key: "l6" });
  const texts = [];
  bob.on("message", event => texts.push(event.text));
  bob.connect();
  await until(() => texts.join() === "missed", "it goes on where it was");
  const refused = assert.rejects(bob.request({ type: "ping" }), { kind: "closed" });
  await bob.close();
  await refused;
  await assert.rejects(bob.request({ type: "ping" }), { kind: "closed" });
  await iteration;
  assert.equal(bob.state.name, "closed");
  bob.connect();
  assert.equal(bob.state.name, "closed");
});

test("a token of another person ends it, and a missing one signs out", async () => {
  let user = "alice";
  const client = await WatchWise.open({ server: server.address, webSocket, token: async () => user && server.token(user) });
  await live(client);
  await client.disconnect();
  user = "carol";
  client.connect();
  await until(() => client.state.code === "other-user", () => JSON.stringify(client.state));
  user = null;
  client.connect();
  await until(() => client.state.name === "signed-out", () => JSON.stringify(client.state));
  await client.close();
  await assert.rejects(WatchWise.open({ server: server.address }), { field: "token" });
});

test("where the network blocks WebSocket it reads a stream", async () => {
  const proxy = await new BlockingProxy(server.port).start();
  const alice = await open("alice", { server: proxy.address });
  const inbox = shown(alice.inbox);
  await until(() => alice.state.name === "live" && inbox.complete, () => JSON.stringify(alice.state));
  await notify("alice", "By stream");
  await until(() => inbox.items[0]?.title === "By stream", "over the stream");
  await alice.close();
  proxy.close();
});

test("a part that cannot be loaded is no more than a connection that fails, and is asked for again", async () => {
  // A copy without the part, as of an application that has copied one file only.
  const place = join(folder, "alone");
  mkdirSync(place);
  for (const name of ["watchwise.js", "watchwise-writes.js", "watchwise-live.js"]) copyFileSync(join(folder, "sdk", name), join(place, name));
  const proxy = await new BlockingProxy(server.port).start();
  for (const name of ["watchwise.js", "watchwise-live.js"]) {
    const made = await import(pathToFileURL(join(place, name)));
    const client = await made.WatchWise.open({ server: proxy.address, token: async () => server.token("bob"), webSocket });
    const attempts = [];
    client.on("state", ({ name, attempt }) => name === "waiting" && attempts.push(attempt));
    // Two sockets, the part, then a socket again.
    await until(() => attempts.includes(4), () => `${name}: ${attempts}`);
    assert.equal(proxy.streams, 0);
    await client.close();
  }
  proxy.close();
});
