// A device without anything connects while others write, on a slow disk, and the network breaks meanwhile: its lists are
// whole in the end.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MemoryStore } from "../../Sources/Device/WebLibrary/Files/store-memory.js";
import { Proxy } from "./proxy.mjs";
import { ROUNDS, Server, WatchWise, pause, shown, until, webSocket } from "./served.mjs";

/** The whole form has 400 rounds and more, each of up to 2 seconds. */
const BEGINNINGS = process.env.SDK_WHOLE ? Math.max(400, ROUNDS) : ROUNDS;

/** Each transaction takes as long as on a busy phone. */
class SlowStore extends MemoryStore {
  constructor(ms) {
    super();
    this.ms = ms;
  }

  async write(changes, options) {
    await pause(this.ms);
    return super.write(changes, options);
  }
}

let server;
let isOver = false;
let writing;
before(async () => {
  server = await new Server("beginning").start();
  await server.befriend("nina", "otto");
  for (const topic of ["user:pia", "user:quinn"]) await server.command("nina", { type: "follow", topic });
  await server.command("nina", { type: "preferences", set: { locale: "pl" } });
  for (const n of [1, 2, 3]) await server.command("nina", { type: "put", path: `users/nina/tasks/${n}`, data: { n }, key: `d${n}` });
  await server.command("otto", { type: "send", to: "nina", text: "0", key: "k0" });
  // All the time, so that something arrives at each step of the device's beginning.
  writing = (async () => {
    for (let n = 1; !isOver; n++) {
      await server.command("otto", { type: "send", to: "nina", text: `${n}`, key: `k${n}` });
      await pause(15);
    }
  })();
});
after(() => server.end());

test("a new device has everything, whatever comes before its lists do, and whenever the connection breaks", { timeout: 600_000 + BEGINNINGS * 2000 }, async () => {
  const proxy = await new Proxy(server.port).start();
  const { topics } = await server.command("nina", { type: "following" });
  const preferences = await server.command("nina", { type: "preferences" });
  let cuts = 0;
  for (let round = 0; round < BEGINNINGS; round++) {
    const nina = await WatchWise.open({ server: proxy.address, user: "nina", webSocket, token: async () => server.token("nina"), storage: new SlowStore(Math.random() * 80) });
    const [chat, followed] = [shown(nina.chat("nina:otto"), { limit: 20 }), shown(nina.topics)];
    const [liked, documents] = [shown(nina.preferences), shown(nina.collection("users/nina/tasks"))];
    if (round % 2) {
      await pause(Math.random() * 500);
      proxy.cut(cuts += 1);
    }
    await until(() => nina.state.name === "live", "live");
    const lists = { followed, liked, documents, chat };
    await until(() => Object.values(lists).every(list => list.complete), () => `complete: ${JSON.stringify(Object.entries(lists).map(([name, list]) => [name, list.complete, list.items?.length, list.error]))}`);
    assert.deepEqual(followed.items.map(({ topic }) => topic).sort(), topics.map(one => one.topic ?? one).sort(), `round ${round}: topics`);
    assert.deepEqual(liked.value?.locale, preferences.locale, `round ${round}: preferences`);
    assert.equal(documents.items.length, 3, `round ${round}: documents`);
    const numbers = chat.items.map(({ text }) => Number(text));
    assert.ok(numbers.length > 0, `round ${round}: the chat is empty`);
    assert.deepEqual(numbers, numbers.map((_, index) => numbers[0] + index), `round ${round}: a chat without holes`);
    await nina.close();
  }
  console.log(`# ${cuts} connections were cut before their device had everything`);
  isOver = true;
  await writing;
  proxy.close();
});
