// `typing()` as it is called with each key: what the others of the chat hear.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server, pause, until } from "./served.mjs";

let server;
before(async () => {
  server = await new Server("typing").start();
  await server.befriend("alice", "bob");
});
after(() => server.end());

/** Alice, whose chat with Bob is open, and what Bob hears of it: `[on, milliseconds since the first]`. */
async function stage() {
  const [alice, bob] = [await server.open("alice"), await server.open("bob")];
  await alice.chat({ with: "bob" }).send("Hello").done;
  const heard = [];
  let first;
  bob.on("typing", ({ on }) => {
    first ??= performance.now();
    heard.push([on, performance.now() - first]);
  });
  await until(() => bob.state.name === "live", "Bob");
  return { alice, bob, heard, close: () => Promise.all([alice.close(), bob.close()]) };
}

test("with a key each 100 ms it is said every 3 s, and ends 5 s after the last one", async () => {
  const { alice, heard, close } = await stage();
  // Each call has a handle of its own, as an application that keeps none.
  const end = performance.now() + 4000;
  while (performance.now() < end) {
    alice.chat({ with: "bob" }).typing();
    await pause(100);
  }
  assert.deepEqual(heard.map(([on]) => on), [true, true], "not with each key");
  assert.ok(heard[1][1] > 2700 && heard[1][1] < 3700, `again after ${heard[1][1]} ms`);
  await until(() => heard.length === 3, "the end", 7);
  const [on, ms] = heard[2];
  assert.equal(on, false);
  assert.ok(ms > 8500 && ms < 10_000, `ended after ${ms} ms, with the last key at 4,000`);
  await pause(1000);
  assert.equal(heard.length, 3, "it ends once");
  await close();
});

test("a message ends it, and the next key says it again at once", async () => {
  const { alice, bob, heard, close } = await stage();
  const chat = alice.chat({ with: "bob" });
  const messages = [];
  bob.on("message", ({ text }) => text === "Done" && messages.push(heard.length));  // the first one may come late
  chat.typing();
  await until(() => heard.length === 1, "typing");
  await chat.send("Done").done;
  await until(() => messages.length === 1 && heard.length === 2, "the message");
  assert.deepEqual(heard.map(([on]) => on), [true, false]);
  chat.typing();
  await until(() => heard.length === 3 && heard[2][0], "again", 1);
  chat.typing(false);
  chat.typing(false);
  await until(() => heard.length === 4, "ended by the application");
  await pause(300);
  assert.deepEqual(heard.map(([on]) => on), [true, false, true, false], "what is not said needs no end");
  await close();
});

test("each chat has its own, and closing the library leaves nothing behind", async () => {
  await server.befriend("alice", "carol");
  const { alice, heard, close } = await stage();
  alice.chat({ with: "carol" }).typing();
  alice.chat({ with: "bob" }).typing();
  await until(() => heard.length === 1, "the chat with Bob");
  await close();
  await pause(5500);
});
