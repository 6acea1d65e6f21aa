// The library where the network refuses WebSockets: events come as a stream, and commands are posted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BlockingProxy } from "./proxy.mjs";
import { Server, WatchWise, pause, shown, until, webSocket } from "./served.mjs";

const isLive = (...clients) => until(() => clients.every(client => client.state.name === "live"), "live");
const texts = list => list.items.map(item => item.text);
const titles = list => list.items.map(item => item.data.title);

let [own, proxy] = [];
before(async () => {
  // With a heartbeat this short the counts of events are compared all the time.
  own = await new Server("blocked", { heartbeat: 300 }).start();
  await own.befriend("alice", "bob");
  proxy = await new BlockingProxy(own.port).start();
});
after(async () => {
  proxy.close();
  await own.end();
});

/** A client that has only the proxy. It must not find anything wrong with what it gets. */
async function open(user, more = {}) {
  const client = await WatchWise.open({ server: proxy.address, token: async () => own.token(user), webSocket, ...more });
  client.violations = [];
  client.on("violation", violation => client.violations.push(violation));
  return client;
}

test("it reads a stream and posts, resumes, and sends what waits", async () => {
  const [alice, bob] = [await open("alice"), await own.open("bob")];
  await isLive(alice, bob);
  const list = shown(alice.chat("alice:bob"));
  await alice.chat("alice:bob").send("by post").done;
  await bob.chat("alice:bob").send("by stream").done;
  await until(() => texts(list).join() === "by post,by stream" && list.complete, "both");
  assert.deepEqual((await alice.topics.followers("user:bob")).users, ["alice"]);
  await assert.rejects(alice.chat("alice:nobody").send("x").done, { kind: "permanent", code: "forbidden" });
  await alice.doc("users/alice/tasks/0").put({ a: 1 }).done;
  assert.equal((await alice.doc("users/alice/tasks/0").get()).data.a, 1);
  await alice.doc("users/alice/tasks/0").remove().done;
  await own.end("SIGKILL");
  await until(() => alice.state.name !== "live", "the loss is noticed");
  const write = alice.chat("alice:bob").send("kept");
  await own.start();
  await isLive(bob);
  await bob.chat("alice:bob").send("missed").done;
  await write.done;
  await until(() => list.items.length === 4 && list.items.every(item => item.n), "resumed");
  assert.deepEqual(texts(list).sort(), ["by post", "by stream", "kept", "missed"]);
  assert.deepEqual(alice.violations, []);
  await Promise.all([alice.close(), bob.close()]);
});

test("documents are watched over the stream: changed, new and deleted ones, also those of a lost connection", async () => {
  const [alice, phone] = [await open("alice"), await own.open("alice", { device: "phone" })];
  await isLive(alice, phone);
  const task = n => phone.doc(`users/alice/tasks/${n}`);
  await task(1).put({ title: "one" }).done;
  await task(2).put({ title: "two" }).done;
  // It must know what it overwrites.
  const theirs = shown(phone.collection("users/alice/tasks"));
  await until(() => theirs.complete && theirs.items.length === 2, "both on the phone");
  const before = proxy.streams;
  const [all, first, board] = [alice.collection("users/alice/tasks"), alice.doc("users/alice/tasks/1"), alice.doc("boards/1")].map(which => shown(which));
  await until(() => all.complete && first.complete && board.complete, "complete");
  assert.equal(proxy.streams - before, 1, "all that is asked for at once is one request");
  assert.deepEqual([titles(all), first.value.data.title, board.value], [["one", "two"], "one", null]);
  await task(1).patch({ title: "one!" }).done;
  await task(3).put({ title: "three" }).done;
  await task(2).remove().done;
  await until(() => titles(all).join() === "one!,three" && first.value.data.title === "one!", "changed, new, deleted");
  await alice.doc("users/alice/tasks/3").patch({ more: true }).done;
  await until(() => theirs.items[1].data.more, "on the phone, too");
  await until(() => all.items[1].data.more && !all.items[1].pending, "an own write");
  shown(alice.doc("boards/brief")).off();
  // Another path is another request: nothing of what happens meanwhile is missed.
  const messages = shown(alice.chat("alice:bob"), { limit: 200 });
  const [latest, writing] = [[], { isOver: false }];
  const written = (async () => {
    for (let n = 0; !writing.isOver; n++) {
      await task(100 + n).put({ title: `${n}` }).done;
      latest.push(`${n}`);
    }
  })();
  const told = [];
  alice.on("document", ({ path }) => told.push(path));
  const others = [];
  for (let n = 0; n < 8; n++) {
    phone.chat("alice:bob").send(`during ${n}`);
    others.push(shown(alice.doc(`boards/${10 + n}`)));
    await pause(150);
    if (n === 3) task(1).remove();
  }
  writing.isOver = true;
  await written;
  await until(() => others.every(other => other.complete), "all are watched");
  const wanted = () => [...latest, "three"].sort().join();
  await until(() => titles(all).sort().join() === wanted() && first.value === null, () => `the last of each: ${titles(all)}, wanted ${wanted()}`);
  await until(() => messages.items.filter(item => item.n && item.text.startsWith("during")).length === 8, "the messages");
  assert.ok(told.length > 0);
  for (const other of others) other.off();
  const last = shown(alice.doc("boards/last"));
  await until(() => last.complete, "one more");
  assert.match(proxy.requests.filter(line => line.startsWith("GET /v1/events")).at(-1),
    /&watch=users\/alice\/tasks,users\/alice\/tasks\/1,boards\/1,boards\/last$/, "no path that nobody watches any more");
  await pause(1000);  // some beats
  assert.equal(alice.state.name, "live");
  assert.deepEqual(alice.violations, []);
  const streams = proxy.streams;
  await own.end("SIGKILL");
  await until(() => !all.complete && alice.state.name !== "live", "no longer complete");
  await own.start();
  await isLive(phone);
  await task(3).remove().done;
  await task(100).put({ title: "later" }).done;
  latest[0] = "later";
  await until(() => all.complete && titles(all).sort().join() === latest.sort().join(), () => `resumed: ${titles(all)}`);
  await pause(1000);
  assert.ok(proxy.streams - streams < 12, `${proxy.streams - streams} requests`);
  assert.deepEqual(alice.violations, []);
  await Promise.all([alice.close(), phone.close()]);
});

test("watches that the server refuses or ends, and those of no path, are told alone", async () => {
  const alice = await open("alice");
  await isLive(alice);
  const paths = ["users/bob/tasks/1", "users/alice/tasks/ö", "users/alice//tasks", "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r"];
  const wrong = paths.map(path => shown(alice.doc(path)));
  const right = shown(alice.collection("boards"));
  await until(() => wrong.every(list => list.error), "each has its error");
  assert.deepEqual(wrong.map(list => list.error.code), ["not-found", "bad-request", "bad-request", "bad-request"]);
  await until(() => right.complete, "the right one is complete");
  assert.equal(right.error, undefined);
  const many = Array.from({ length: 100 }, (_, n) => shown(alice.doc(`boards/many-${n}`)));
  await until(() => many.filter(list => list.complete).length === 99 && many.some(list => list.error), "as many as a connection may have");
  assert.equal(many.find(list => list.error).error.code, "too-many");
  assert.deepEqual(alice.violations, []);
  await alice.close();
});

test("a collection of several pages, and changes while they come", async () => {
  const alice = await open("alice");
  await isLive(alice);
  const writes = Array.from({ length: 500 }, (_, n) => ({ op: "put", path: `boards/page-${1000 + n}`, data: { title: `${n}` } }));
  await own.call("operator", "POST", "/v1/documents", { writes }, { scope: "admin" });
  const all = shown(alice.collection("boards"));
  const changed = own.call("operator", "POST", "/v1/documents", { writes: [{ op: "delete", path: "boards/page-1499" }, { op: "put", path: "boards/page-1000", data: { title: "changed" } }] }, { scope: "admin" });
  const other = shown(alice.doc("users/alice/tasks/9"));
  await changed;
  await until(() => all.complete && all.items.length === 499 && all.items[0].data.title === "changed" && other.complete, () => `${all.items.length} documents`);
  assert.deepEqual(alice.violations, []);
  await alice.close();
});

test("presence and focus are not to be had: nothing is thrown, and nothing is known", async () => {
  const alice = await open("alice");
  const bob = await own.open("bob");
  await isLive(alice, bob);
  const seen = [];
  const off = alice.presence.watch(["bob"], ({ items, complete }) => seen.push([items[0].online, complete]));
  alice.chat("alice:bob").typing();
  await pause(300);
  off();
  assert.ok(seen.length > 0);
  assert.ok(seen.every(([online, complete]) => !online && !complete), JSON.stringify(seen));
  assert.equal(alice.state.name, "live");
  await Promise.all([alice.close(), bob.close()]);
});
