// One suite for all stores, without a test runner: it runs in Node and in a page.
import { LastingStore, LeaderLost } from "../../Sources/Device/WebLibrary/Files/store.js";
import { trimStore } from "../../Sources/Device/WebLibrary/Files/trimming.js";

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
function expect(got, wanted, what = "") {
  if (!same(got, wanted)) throw new Error(`${what}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
}
async function rejected(promise, wanted) {
  try {
    await promise;
  } catch (error) {
    if (wanted && !(error instanceof wanted)) throw error;
    return error;
  }
  throw new Error("it was not refused");
}
const message = (chat, n) => ({ chat, n, text: `${n}` });
const entry = (key, more = {}) => ({ key, order: null, command: { type: "send", key }, lane: "x", state: "queued", ...more });
const ns = rows => rows.map(row => row.n);
const keys = rows => rows.map(row => row.key);

/** Each gets an open store; `again` closes it and opens what is on the disk (null: it keeps nothing). */
export const suite = {
  "a row that was put is there, another is null, and the last put wins": async store => {
    await store.write([{ put: ["meta", { name: "a", value: { b: [1, null, "ü"] } }] }]);
    expect((await store.get("meta", "a")).value, { b: [1, null, "ü"] });
    expect(await store.get("meta", "b"), null);
    await store.write([{ put: ["meta", { name: "a", value: 2 }] }, { put: ["meta", { name: "a", value: 3 }] }]);
    expect((await store.get("meta", "a")).value, 3);
    await store.write([{ delete: ["meta", "a"] }, { delete: ["meta", "nothing"] }]);
    expect(await store.get("meta", "a"), null);
  },

  "messages are read by chat and number, in pages, from both ends": async store => {
    const rows = [1, 2, 3, 10, 11].map(n => message("a:b", n));
    await store.write([...rows, message("a:bb", 4), message("a", 5)].map(row => ({ put: ["messages", row] })));
    expect(ns(await store.range("messages", { is: "a:b" })), [1, 2, 3, 10, 11]);
    expect(ns(await store.range("messages", { is: "a:b", reverse: true, limit: 2 })), [11, 10]);
    expect(ns(await store.range("messages", { is: "a:b", from: 2, to: 10 })), [2, 3, 10]);
    expect(ns(await store.range("messages", { is: "a:b", to: 9, reverse: true, limit: 2 })), [3, 2]);
    expect(ns(await store.range("messages", { is: "nobody" })), []);
    expect((await store.get("messages", ["a:b", 10])).text, "10");
  },

  "rows of several tables are read at once: near messages, far ones, those that are missing, and those after a number": async store => {
    const near = Array.from({ length: 20 }, (_, index) => index + 1).filter(n => n !== 7);
    await store.write([...near.map(n => message("a:b", n)), message("a:c", 1), message("a:c", 900)].map(row => ({ put: ["messages", row] })));
    await store.write([{ put: ["chats", { chat: "a:b", seq: 5 }] }]);
    const wanted = [["chats", "a:b"], ["chats", "a:x"], ...Array.from({ length: 22 }, (_, index) => ["messages", ["a:b", index]]),
      ...[1, 2, 300, 301, 302, 303, 304, 305, 306, 900].map(n => ["messages", ["a:c", n]]), ["messages", "a:b", 17]];
    const rows = await new LastingStore(store).rows(wanted);
    expect(rows.slice(0, 2).map(row => row?.seq), [5, undefined]);
    expect(rows.slice(2, 24).map(row => row?.n ?? 0), [0, 1, 2, 3, 4, 5, 6, 0, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 0]);
    expect(rows.slice(24, 34).map(row => row && [row.chat, row.n]), [["a:c", 1], null, null, null, null, null, null, null, null, ["a:c", 900]]);
    expect(ns(rows[34]), [18, 19, 20]);
  },

  "chats and notifications are read by their place, documents by collection, topics by name": async store => {
    await store.write([["x", 5], ["y", 9], ["z", 7]].flatMap(([id, seq]) => [{ put: ["chats", { chat: id, seq }] }, { put: ["inbox", { id, seq }] }]));
    expect((await store.range("chats", { index: "seq", reverse: true })).map(row => row.chat), ["y", "z", "x"]);
    expect((await store.range("inbox", { index: "seq", to: 8, reverse: true, limit: 1 })).map(row => row.id), ["z"]);
    await store.write([{ put: ["chats", { chat: "x", seq: 11 }] }]);
    expect((await store.range("chats", { index: "seq", reverse: true, limit: 1 })).map(row => row.chat), ["x"]);
    await store.write(["c/2", "c/1", "d/1", "c/1/e/1"].map(path => ({ put: ["documents", { path, collection: path.slice(0, path.lastIndexOf("/")) }] })));
    expect((await store.range("documents", { index: "collection", is: "c" })).map(row => row.path), ["c/1", "c/2"]);
    await store.write(["user:b", "person:1"].map(topic => ({ put: ["topics", { topic }] })));
    expect((await store.range("topics", {})).map(row => row.topic), ["person:1", "user:b"]);
  },

  "rows with the same place stand in the order of their keys, from both ends": async store => {
    await store.write(["c", "a", "d", "b"].map(id => ({ put: ["chats", { chat: id, seq: 7 }] })));
    await store.write([{ put: ["chats", { chat: "a", seq: 6 }] }, { put: ["chats", { chat: "a", seq: 7 }] }]);
    const chats = async query => (await store.range("chats", { index: "seq", ...query })).map(row => row.chat).join("");
    expect([await chats({}), await chats({ reverse: true }), await chats({ reverse: true, limit: 2 }), await chats({ from: 7, limit: 3 })], ["abcd", "dcba", "dc", "abc"]);
  },

  "messages of a chat go, all or below a number, and move to another chat": async store => {
    await store.write([1, 2, 3, 4].flatMap(n => [{ put: ["messages", message("a:b", n)] }, { put: ["messages", message("a:c", n)] }]));
    await store.write([{ deleteMessages: "a:b", below: 3 }]);
    expect(ns(await store.range("messages", { is: "a:b" })), [3, 4]);
    await store.write([{ moveMessages: ["a:b", "a:gone"] }, { deleteMessages: "a:c" }]);
    expect(ns(await store.range("messages", { is: "a:gone" })), [3, 4]);
    expect((await store.range("messages", { is: "a:gone" }))[0].chat, "a:gone");
    expect([...await store.range("messages", { is: "a:b" }), ...await store.range("messages", { is: "a:c" })], []);
  },

  "entries of the outbox get ascending orders, which are never used twice": async store => {
    const first = await store.write([{ keepEntry: entry("a") }, { keepEntry: entry("b") }], { durable: true });
    if (!(first.a < first.b)) throw new Error("not ascending");
    await store.write([{ removeEntry: "b" }, { removeEntry: "nothing" }]);
    const { c } = await store.write([{ keepEntry: entry("c") }]);
    if (!(c > first.b)) throw new Error("an order was used twice");
    expect(keys(await store.range("outbox", {})), ["a", "c"]);
    const again = await store.write([{ keepEntry: entry("a", { state: "sent" }) }]);
    expect(again.a, first.a, "an entry without order that is there keeps its own");
    await store.write([{ keepEntry: entry("a~1", { order: first.a }) }]);
    expect((await store.range("outbox", {})).map(row => [row.key, row.order, row.state]), [["a~1", first.a, "queued"], ["c", c, "queued"]]);
  },

  "a write is done as a whole or not at all": async store => {
    await store.write([{ put: ["meta", { name: "leader", value: "me" }] }]);
    await rejected(store.write([{ put: ["meta", { name: "x", value: 1 }] }, { keepEntry: entry("a") }], { leader: "another" }), LeaderLost);
    expect(await store.get("meta", "x"), null);
    expect(await store.range("outbox", {}), []);
    await store.write([{ put: ["meta", { name: "x", value: 1 }] }], { leader: "me" });
    expect((await store.get("meta", "x")).value, 1);
    await rejected(store.write([{ put: ["meta", { name: "x", value: 2 }] }, { put: ["meta", { name: "y", value: () => {} }] }, { put: ["messages", { chat: "a" }] }]).then(() => {
      if (!store.isDurable) throw new Error("memory takes anything");
    }));
  },

  "writes side by side are done one after the other": async store => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => store.write([{ keepEntry: entry(`k${index}`) }, { put: ["meta", { name: "last", value: index }] }], { durable: index % 2 === 0 })));
    expect(keys(await store.range("outbox", {})), Array.from({ length: 50 }, (_, index) => `k${index}`));
    expect((await store.get("meta", "last")).value, 49);
  },

  "a table is cleared, and all rows can be read": async store => {
    await store.write([{ put: ["topics", { topic: "a:1" }] }, { put: ["meta", { name: "x", value: 1 }] }]);
    expect((await store.all()).topics, [{ topic: "a:1" }]);
    await store.write([{ clear: "topics" }, { put: ["topics", { topic: "b:1" }] }]);
    expect((await store.range("topics", {})).map(row => row.topic), ["b:1"]);
  },

  "what was written is there after it was closed": async (store, again) => {
    const { a } = await store.write([{ keepEntry: entry("a") }, { put: ["messages", message("a:b", 1)] }], { durable: true });
    const reopened = await again(store);
    if (reopened === null) return;
    expect((await reopened.range("outbox", {})).map(row => [row.key, row.order]), [["a", a]]);
    expect(ns(await reopened.range("messages", { is: "a:b" })), [1]);
    const { b } = await reopened.write([{ keepEntry: entry("b") }]);
    if (!(b > a)) throw new Error("an order was used twice");
    await reopened.close();
  },

  "a closed store refuses": async store => {
    await store.close();
    if (store.isDurable) await rejected(store.get("meta", "x"));
  },

  "trimming leaves the newest of a chat, and a gap": async store => {
    const chat = (id, more) => ({ put: ["chats", { chat: id, seq: 1, top: 10, gaps: [], ...more }] });
    await store.write([chat("a:b"), chat("a:c"), { put: ["meta", { name: "opened/a:c", value: 1000 }] }, chat("a:d", { gaps: [[3, 6], [9, 9]] }), chat("a:e", { top: 3 }), chat("a:f")]);
    await store.write(["a:b", "a:c", "a:d", "a:f"].flatMap(id => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(n => ({ put: ["messages", message(id, n)] }))));
    await store.write([1, 2, 3].map(n => ({ put: ["inbox", { id: `n${n}`, seq: n }] })));
    await store.write([{ put: ["watches", { path: "c", usedAt: 0 }] }, { put: ["documents", { path: "c/1", collection: "c" }] }, { put: ["watches", { path: "d", usedAt: 0, isActive: true }] }, { put: ["documents", { path: "d/1", collection: "d" }] }]);
    const bounds = { messagesOpened: 8, messages: 5, openedMs: 5000, inbox: 2, documentsMs: 1 };
    const shown = new Set(["a:f", undefined]);
    expect((await trimStore(store, 5500, { bounds, shown })).paths, ["c"], "paths whose documents went");
    expect(ns(await store.range("messages", { is: "a:b" })), [6, 7, 8, 9, 10]);
    expect((await store.get("chats", "a:b")).gaps, [[1, 5]]);
    expect((await store.get("chats", "a:c")).gaps, [[1, 2]]);
    expect((await store.get("chats", "a:d")).gaps, [[1, 6], [9, 9]]);
    expect((await store.get("chats", "a:e")).gaps, []);
    expect((await store.get("chats", "a:f")).gaps, []);
    expect((await store.range("messages", { is: "a:f" })).length, 10, "somebody looks at it");
    expect((await store.range("inbox", { index: "seq" })).map(row => row.id), ["n2", "n3"]);
    expect((await store.range("documents", {})).map(row => row.path), ["d/1"]);
    expect((await trimStore(store, 5500, { bounds, shown })).chats.size, 0, "twice");
    expect([...(await trimStore(store, 5500, { bounds })).chats], [["a:f", 6]], "nobody looks any more");
  },
};

/** Runs the suite on stores that `make` opens; returns `[name, null or what went wrong]` for each. */
export async function runSuite(make, again) {
  const results = [];
  for (const [name, check] of Object.entries(suite)) {
    try {
      const store = await make();
      await check(store, again);
      results.push([name, null]);
    } catch (error) {
      results.push([name, `${error?.stack ?? error}`]);
    }
  }
  return results;
}
