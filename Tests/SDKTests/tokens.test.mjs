// Tokens that are refused, or do not come, against the real program.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Locks, SharedDatabase, becomePage } from "./page.mjs";
import { BlockingProxy } from "./proxy.mjs";
import { Server, pause, until, webSocket } from "./served.mjs";
import { WatchWise } from "../../Sources/Device/WebLibrary/Files/watchwise.js";
import { WatchWise as Live } from "../../Sources/Device/WebLibrary/Files/watchwise-live.js";

let server;
before(async () => {
  server = await new Server("tokens").start();
  await server.befriend("alice", "bob");
});
after(() => server.end());

/** A source of tokens that the server refuses until `isGood`, and all states of a client. */
function source(client = WatchWise, more = {}) {
  const asked = { isGood: false, count: 0, states: [] };
  const token = async () => (asked.count++, asked.isGood ? server.token("alice") : `${server.token("alice")}x`);
  asked.open = async options => {
    const ww = await client.open({ server: server.address, user: "alice", token, webSocket, ...more, ...options });
    ww.on("state", ({ name }) => asked.states.push(name));
    return ww;
  };
  return asked;
}

const named = name => ww => until(() => ww.state.name === name, () => `${name}, and not ${JSON.stringify(ww.state)}`, 30);
const [isLive, isSignedOut] = ["live", "signed-out"].map(named);

test("a source of tokens that hangs is asked anew after 20 s", async () => {
  const asked = [];
  const ww = await WatchWise.open({ server: server.address, user: "alice", webSocket, token: () => {
    asked.push(performance.now());
    return asked.length === 1 ? new Promise(() => {}) : server.token("alice");
  } });
  await isLive(ww);
  assert.equal(asked.length, 2);
  assert.ok(asked[1] - asked[0] > 19_900, `${asked[1] - asked[0]} ms`);
  await ww.close();
});

test("a start whose source of tokens hangs, and who was here nobody knows, ends after 20 s", async () => {
  await assert.rejects(WatchWise.open({ server: server.address, webSocket, token: () => new Promise(() => {}) }), { kind: "retry", code: "timeout" });
});

for (const [name, client] of [["the library", WatchWise], ["the small library", Live]]) test(`refused tokens sign out for a while only: ${name} asks for another one when somebody looks`, async () => {
  const tokens = source(client);
  const ww = await tokens.open();
  await isSignedOut(ww);
  assert.ok(ww.state.reason);
  assert.equal(tokens.count, 2);
  await assert.rejects(ww.request({ type: "rooms" }), { kind: "retry", code: "lost" });
  await pause(3000);
  assert.equal(tokens.count, 2, "not again soon");
  const hint = word => (ww.connection ?? ww.core.engine).hint(word);
  hint("hidden");
  hint("visible");
  await until(() => tokens.count === 3 && (ww.connection ?? ww.core.engine).session.phase.name === "waiting", "once more");
  const states = tokens.states.length;
  tokens.isGood = true;
  hint("offline");
  hint("online");
  await isLive(ww);
  assert.equal(tokens.states.filter(state => state === "signed-out").length, 1);
  assert.deepEqual(tokens.states.slice(states), ["catching-up", "live"]);
  await ww.request({ type: "rooms" });
  await ww.close();
});

test("`connect` asks for a token at once, and a write that waited meanwhile goes", async () => {
  const tokens = source();
  const ww = await tokens.open();
  const write = ww.chat("alice:bob").send("kept while signed out");
  await isSignedOut(ww);
  tokens.isGood = true;
  ww.connect();
  await write.done;
  await ww.close();
});

test("no token is final, until `connect`", async () => {
  const tokens = source();
  let isOut = false;
  const ww = await tokens.open({ token: async () => isOut ? null : `${server.token("alice")}x` });
  await isSignedOut(ww);
  isOut = true;
  ww.core.engine.hint("online");
  await until(() => ww.core.engine.session.phase.name === "ended", "ended");
  assert.deepEqual(ww.state, { name: "signed-out" });
  ww.core.engine.hint("visible");
  await pause(500);
  assert.equal(ww.core.engine.session.phase.name, "ended");
  await ww.close();
});

test("`connect` of a tab that follows reaches the one that leads", async () => {
  const leavePage = becomePage(new Map());
  try {
    const [locks, database, tokens] = [new Locks(), new SharedDatabase(), source()];
    const first = await tokens.open({ locks, storage: database.tab() });
    await isSignedOut(first);
    const second = await tokens.open({ locks, storage: database.tab() });
    await isSignedOut(second);
    tokens.isGood = true;
    second.connect();
    await Promise.all([isLive(first), isLive(second)]);
    await Promise.all([second.close(), first.close()]);
  } finally {
    leavePage();
  }
});

test("tokens that are refused over a stream sign out for a while only, too", async () => {
  const proxy = await new BlockingProxy(server.port).start();
  const tokens = source();
  const ww = await tokens.open({ server: proxy.address });
  await isSignedOut(ww);
  tokens.isGood = true;
  ww.core.engine.hint("hidden");
  ww.core.engine.hint("visible");
  await isLive(ww);
  await ww.close();
  proxy.close();
});
