// The library against the real program: two people, lost connections, a server that is killed, resets, tokens.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ROUNDS, Server, WatchWise, folder, joined, pause, shown, until, webSocket } from "./served.mjs";

const isLive = (...clients) => until(() => clients.every(client => client.state.name === "live"), "live");
const texts = list => list.items.map(item => item.text);
const hasSQLite = await import("node:sqlite").then(() => true, () => false);
const needsFile = { skip: !hasSQLite && "this Node has no node:sqlite" };

let server;
before(async () => {
  server = await new Server("people").start();
  await server.befriend("alice", "bob", "carol");
});
after(() => server.end());

/** All texts of a chat as the server has them. */
async function onServer(where, user, chat) {
  const messages = [];
  for (let after = 0; after !== undefined;) {
    const page = await where.command(user, { type: "history", chat, after, limit: 200 });
    messages.push(...page.messages);
    after = page.next === undefined ? undefined : Number(page.next);
  }
  return messages.map(message => message.text);
}

test("two people chat: lists, counts, edits, reactions, receipts", async () => {
  const [alice, bob] = [await server.open("alice"), await server.open("bob")];
  const chat = alice.chat({ with: "bob" });
  const [hers, his] = [shown(chat), shown(bob.chat("alice:bob"))];
  const [chats, unread] = [shown(bob.chats), shown(bob.unread)];
  await isLive(alice, bob);
  const write = chat.send("ciao");
  assert.equal(typeof write.key, "string");
  assert.deepEqual(await write.kept, { durable: false });
  const { n } = await write.done;
  assert.equal(write.state, "done");
  await until(() => his.items.length === 1 && hers.items.length === 1 && hers.items[0].n === n, "the message on both sides");
  assert.equal(hers.complete, true);
  await until(() => unread.value.chats === 1 && chats.items[0]?.unread === 1, "unread");
  await bob.chat("alice:bob").react(1, "👍").done;
  await chat.edit(1, "ciao!").done;
  await until(() => his.items[0].text === "ciao!" && hers.items[0].reactions?.[0].count === 1, "edited, with a reaction");
  await bob.chat("alice:bob").read(1).done;
  await until(() => unread.value.chats === 0 && unread.value.confirmed.chats === 0 && chats.items[0].unread === 0, "read");
  await chat.delete(1).done;
  await until(() => his.items[0].deleted && his.items[0].text === undefined, "deleted");
  const typing = new Promise(resolve => bob.on("typing", resolve));
  chat.typing();
  assert.equal((await typing).user, "alice");
  assert.deepEqual((await bob.chat("alice:bob").history()).messages.map(message => message.n), [1]);
  await Promise.all([alice.close(), bob.close()]);
  assert.equal(alice.state.name, "closed");
});

test("a refusal for good is told, stays in the outbox, and can be discarded", async () => {
  const alice = await server.open("alice");
  await isLive(alice);
  const write = alice.chat("alice:nobody").send("hello?");
  await assert.rejects(write.done, { name: "WatchWiseError", kind: "permanent", code: "forbidden" });
  assert.equal(write.state, "failed");
  assert.equal(alice.outbox.list().length, 1);
  assert.equal(await alice.outbox.discard(write.key), true);
  assert.equal(alice.outbox.list().length, 0);
  await assert.rejects(alice.request({ type: "history", chat: "bob:carol" }), { kind: "permanent", code: "forbidden" });
  await alice.close();
  assert.throws(() => alice.chat("alice:bob").send("x"), { kind: "closed" });
  await assert.rejects(alice.request({ type: "ping" }), { kind: "closed" });
});

/** The owner of a room gives a role, mutes a member, and takes the member out and in again. */
async function governs(owner, member, chat, chats) {
  const own = () => chats.items.find(item => item.chat === chat);
  const listed = async () => (await owner.rooms.members(chat)).members.find(({ user }) => user === member.user);
  await owner.rooms.role(chat, member.user, "moderator").done;
  await until(() => own().role === "moderator", "a moderator");
  await owner.rooms.role(chat, member.user, "member").done;
  await owner.rooms.mute(chat, member.user, new Date(Date.now() + 60_000)).done;
  assert.ok((await listed()).muted > new Date().toISOString());
  await assert.rejects(member.chat(chat).send("may I?").done, { code: "forbidden" });
  await owner.rooms.mute(chat, member.user).done;
  assert.equal((await listed()).muted, undefined);
  await owner.rooms.update(chat, { title: "Old films" }).done;
  await until(() => own().title === "Old films", "another title");
  await owner.rooms.remove(chat, member.user, { ban: true, reason: "a test" }).done;
  await until(() => !own(), "removed");
  await assert.rejects(member.rooms.members(chat), { code: "forbidden" });
  await assert.rejects(owner.rooms.invite(chat, [member.user]).done, { code: "forbidden" });
  await owner.rooms.remove(chat, member.user, { ban: false }).done;
  await owner.rooms.update(chat, { open: true }).done;
  assert.ok((await member.rooms.list({ open: true })).rooms.some(room => room.chat === chat && room.role === undefined));
  await member.rooms.join(chat).done;
  await until(() => own()?.role === "member", "a member again");
}

test("topics, inbox, preferences, rooms, presence, blocks", async () => {
  const [alice, carol] = [await server.open("alice"), await server.open("carol")];
  await isLive(alice, carol);
  const topics = shown(alice.topics);
  const follow = alice.topics.follow("person:525");
  assert.equal(await alice.topics.isFollowed("person:525"), true);
  assert.equal((await follow.done).followers, 1);
  await until(() => topics.items.some(item => item.topic === "person:525" && !item.pending), "followed");
  assert.deepEqual((await alice.topics.followers("person:525")).users, ["alice"]);
  const inbox = shown(alice.inbox);
  await server.call("operator", "POST", "/v1/broadcasts", { audience: "user:alice", title: "Ciao" }, { scope: "admin" });
  await until(() => inbox.items[0]?.title === "Ciao" && !inbox.items[0].seen, "a notification");
  await alice.inbox.seen({ ids: [inbox.items[0].id] }).done;
  await until(() => inbox.items[0].seen, "seen");
  assert.ok((await alice.inbox.list()).notifications.length >= 1);
  await alice.inbox.snooze([inbox.items[0].id], new Date(Date.now() + 3_600_000)).done;
  await until(() => !inbox.items.some(item => item.title === "Ciao"), "snoozed");
  const preferences = shown(alice.preferences);
  await alice.preferences.set({ timeZone: "Europe/Rome" }).done;
  await until(() => preferences.value.timeZone === "Europe/Rome", "preferences");
  const rooms = shown(carol.chats);
  const { chat } = await alice.rooms.create("Films", ["carol"]).done;
  await until(() => rooms.items.some(item => item.chat === chat && item.title === "Films"), "the room");
  await alice.chat(chat).send("welcome").done;
  await until(() => rooms.items[0].chat === chat && rooms.items[0].unread === 1, "a message in the room");
  await governs(alice, carol, chat, rooms);
  await carol.rooms.leave(chat).done;
  await until(() => !rooms.items.some(item => item.chat === chat), "left");
  const seen = [];
  const off = alice.presence.watch(["carol"], ({ items }) => seen.push(items[0].online));
  await until(() => seen.at(-1) === true, "carol is online");
  await carol.close();
  await until(() => seen.at(-1) === false, "carol has gone");
  off();
  await alice.block("mallory").done;
  await alice.unblock("mallory").done;
  await alice.close();
});

test("a stranger asks: the list of invitations lives, and an answer takes one out of it on every device", async () => {
  const [erin, frank] = [await server.open("erin"), await server.open("frank")];
  const tablet = await server.open("frank");
  const lists = [shown(frank.invitations), shown(tablet.invitations)];
  const chats = shown(frank.chats);
  await isLive(erin, frank, tablet);
  const first = await erin.rooms.create("Films", ["frank"]).done;
  assert.deepEqual([first.invited, first.members, first.leftOut], [["frank"], undefined, undefined]);
  const second = await erin.rooms.create("Series", ["frank"]).done;
  await until(() => lists.every(({ items }) => items.length === 2), "two invitations on both devices");
  assert.deepEqual(lists[0].items.map(({ chat, title, by }) => [chat, title, by]), [[first.chat, "Films", "erin"], [second.chat, "Series", "erin"]]);
  assert.deepEqual(lists[0].items, (await frank.invitations.list()).invitations);
  const accepting = frank.invitations.accept(first.chat);
  await until(() => lists[0].items.length === 1, "gone at once");
  await accepting.done;
  await until(() => chats.items.some(item => item.chat === first.chat && item.title === "Films"), "a member");
  await frank.invitations.decline(second.chat).done;
  await until(() => lists.every(({ items }) => items.length === 0), "no invitation on either device");
  assert.deepEqual((await erin.rooms.invite(second.chat, ["frank"]).done).leftOut, ["frank"]);
  await assert.rejects(frank.invitations.accept(second.chat).done, { code: "forbidden" });
  // A device that begins later has those that wait.
  const third = await erin.rooms.create("Music", ["frank"]).done;
  const late = await server.open("frank");
  const list = shown(late.invitations);
  await until(() => list.items.length === 1 && list.items[0].chat === third.chat, "the invitation of before");
  await frank.block("erin").done;
  await until(() => list.items.length === 0, "withdrawn");
  await Promise.all([erin, frank, tablet, late].map(client => client.close()));
});

test("lists of people who are online do not end each other, and last over connections", async () => {
  const [alice, bob, carol] = [await server.open("alice"), await server.open("bob"), await server.open("carol")];
  await isLive(alice, bob, carol);
  const { chat } = await alice.rooms.create("Watched", ["bob", "carol"]).done;
  for (const member of [bob, carol]) await member.chat(chat).send("I am here").done;
  const seen = { both: [], one: [], wrong: [] };
  const online = name => seen[name].at(-1).items.filter(item => item.online).map(item => item.user).join();
  const watch = (name, users, options) => alice.presence.watch(users, snapshot => seen[name].push(snapshot), options);
  watch("both", ["bob", "carol"]);
  assert.equal(seen.both.length, 1, "told at once");
  // No user can have such a name: the others lose nothing by it.
  watch("wrong", ["Łukasz ż", "carol"]);
  await until(() => seen.both.at(-1).complete && online("both") === "bob,carol", "both are online");
  const ending = new AbortController();
  watch("one", ["carol"], { signal: ending.signal });
  assert.deepEqual([online("one"), seen.one.at(-1).complete], ["carol", true], "what is known is told at once");
  await until(() => online("wrong") === "carol", "the others lose nothing by a wrong name");
  assert.equal(seen.wrong.at(-1).complete, false, "but for the wrong name");
  ending.abort();
  await carol.close();
  await until(() => online("both") === "bob", "carol has gone");
  await alice.disconnect();
  await until(() => !seen.both.at(-1).complete, "nothing is known offline");
  alice.connect();
  await until(() => seen.both.at(-1).complete && online("both") === "bob", "known again");
  await bob.close();
  await until(() => online("both") === "", "bob has gone");
  assert.ok(seen.both.at(-1).items[0].lastSeen);
  assert.equal(seen.one.length, 1, "a list that has ended is not told");
  await alice.close();
});

test("of more than 100 paths, those that find no room say so, and get it when others end", async () => {
  const alice = await server.open("alice");
  const lists = Array.from({ length: 103 }, (_, n) => shown(alice.doc(`boards/room-${n}`)));
  const full = of => of.filter(list => !list.complete && list.error?.code === "too-many").length;
  const whole = of => of.filter(list => list.complete).length;
  const are = (of, wholes, fulls, what) => until(() => whole(of) === wholes && full(of) === fulls, () => `${what}: ${whole(of)} complete, ${full(of)} without room`);
  await are(lists, 100, 3, "at first");
  // The next connection begins all of them at once.
  await alice.disconnect();
  await until(() => whole(lists) === 0, "none is complete offline");
  alice.connect();
  await are(lists, 100, 3, "again");
  const ended = lists.filter(list => list.complete).slice(0, 2);
  for (const list of ended) list.off();
  await are(lists.filter(list => !ended.includes(list)), 100, 1, "after two have ended");
  await alice.close();
});

test("a list with a signal that is aborted already is never told", async () => {
  const alice = await server.open("alice");
  let count = 0;
  const tell = () => (count += 1);
  const options = { signal: AbortSignal.abort() };
  for (const off of [alice.chats.watch(tell, options), alice.presence.watch(["bob"], tell, options), alice.doc("films/1").watch(tell, options)]) off();
  await isLive(alice);
  await alice.chats.list();
  assert.deepEqual([count, alice.core.lists.size, alice.core.needs.watched.size], [0, 0, 0]);
  await alice.close();
});

test("archived notifications are away at once, on every device, on a new one, and after a kill of the server", async () => {
  const [phone, laptop] = [await server.open("dave", { device: "phone" }), await server.open("dave", { device: "laptop" })];
  const erin = await server.open("erin");
  await isLive(phone, laptop, erin);
  await Promise.all([phone, erin].map(device => device.topics.follow("person:7").done));
  const [here, there, hers] = [shown(phone.inbox), shown(laptop.inbox), shown(erin.inbox)];
  const counts = shown(phone.unread);
  const titles = list => list.items.map(item => item.title);
  const archived = [["user:dave", "own"], ["person:7", "topic"], ["everyone", "all"]];
  const publish = (audience, title) =>
    server.call("operator", "POST", "/v1/broadcasts", { audience, title }, { scope: "admin" });
  for (const [audience, title] of [...archived, ["person:7", "kept"]]) await publish(audience, title);
  await until(() => [here, there].every(list => list.items.length === 4) && hers.items.length === 3, "four notifications");
  await until(() => counts.value?.notifications === 4, "four are unread");
  const ids = here.items.filter(item => item.title !== "kept").map(item => item.id);
  // Offline they are away at once, for this device alone.
  await phone.disconnect();
  const write = phone.inbox.archive(ids);
  await until(() => titles(here).join() === "kept" && counts.value.notifications === 1, "away at once");
  await write.kept;
  assert.equal(write.state, "queued");
  assert.equal(titles(there).length, 4);
  await server.end("SIGKILL");
  await server.start();
  phone.connect();
  assert.equal((await write.done).unread, 1);
  await until(() => [here, there].every(list => titles(list).join() === "kept" && list.complete), "away on both");
  assert.equal((await phone.inbox.archive(ids).done).unread, 1);
  const fresh = await server.open("dave", { device: "tablet", storage: "memory" });
  const list = shown(fresh.inbox);
  await until(() => list.complete && list.items.length > 0, "a new device");
  assert.deepEqual(titles(list), ["kept"]);
  assert.deepEqual(titles(hers).sort(), ["all", "kept", "topic"]);
  await assert.rejects(phone.inbox.archive(["n999999"]).done, { kind: "permanent", code: "not-found", field: "ids[0]" });
  await Promise.all([phone, laptop, fresh, erin].map(device => device.close()));
});

test("documents: watched, patched offline in a chain, merged with another device's", async () => {
  const [one, two] = [await server.open("bob", { device: "one" }), await server.open("bob", { device: "two" })];
  await isLive(one, two);
  const doc = one.doc("users/bob/tasks/1");
  const [here, all] = [shown(doc), shown(two.collection("users/bob/tasks"))];
  await doc.put({ title: "Popcorn", done: false, size: 1 }).done;
  await until(() => here.value?.version === 1 && all.items.length === 1, "put");
  await one.disconnect();
  const [first, second] = [doc.patch({ done: true }), doc.patch({ size: 2 })];
  await until(() => here.value.data.done === true && here.value.data.size === 2 && here.value.pending === "queued", "seen at once");
  await two.doc("users/bob/tasks/1").patch({ title: "Nachos" }).done;
  one.connect();
  await Promise.all([first.done, second.done]);
  await until(() => here.value.data.title === "Nachos" && !here.value.pending && all.items[0].data.size === 2, "merged");
  assert.deepEqual(all.items[0].data, { title: "Nachos", done: true, size: 2 });
  assert.equal(all.items[0].version, 4);
  await one.disconnect();
  const mine = doc.patch({ title: "Mine" });
  await two.doc("users/bob/tasks/1").patch({ title: "Theirs" }).done;
  one.connect();
  await assert.rejects(mine.done, error => error.code === "conflict" && error.current.data.title === "Theirs");
  await until(() => here.value.data.title === "Theirs", "a refused write is shown no more");
  await two.doc("users/bob/tasks/1").remove().done;
  await until(() => here.value === null && all.items.length === 0, "removed");
  await assert.rejects(one.doc("users/alice/tasks/1").put({}).done, { code: "forbidden" });
  const forbidden = shown(one.doc("users/alice/tasks/1"));
  await until(() => forbidden.error?.code === "not-found", "the error of a watch");
  await Promise.all([one.close(), two.close()]);
});

test("onConflict decides", async () => {
  const asked = [];
  const [one, two] = [await server.open("carol", { device: "one", onConflict: conflict => {
    asked.push(conflict);
    return { n: conflict.mine.data.n + conflict.current.data.n };
  } }), await server.open("carol", { device: "two" })];
  await isLive(one, two);
  const doc = one.doc("users/carol/tasks/1");
  const here = shown(doc);
  await doc.put({ n: 1 }).done;
  await until(() => here.value?.version === 1);
  await one.disconnect();
  const write = doc.put({ n: 10 });
  await two.doc("users/carol/tasks/1").put({ n: 5 }, { ifVersion: 1 }).done;
  one.connect();
  await write.done;
  await until(() => here.value.data.n === 15 && !here.value.pending, "15");
  assert.equal(asked.length, 1);
  assert.equal(asked[0].base.version, 1);
  await Promise.all([one.close(), two.close()]);
});

test("writes made offline are shown at once, and arrive once and in order", async () => {
  const own = await new Server("offline").start();
  await own.befriend("alice", "bob");
  const alice = await own.open("alice");
  await isLive(alice);
  const list = shown(alice.chat("alice:bob"), { limit: 100 });
  await own.end("SIGKILL");
  await until(() => alice.state.name !== "live", "the loss is noticed");
  const writes = Array.from({ length: 30 }, (_, index) => alice.chat("alice:bob").send(`m${index}`));
  await Promise.all(writes.map(write => write.kept));
  await until(() => list.items.length === 30 && list.fromCache, "all are shown");
  assert.ok(list.items.every(item => item.n === undefined && item.pending === "queued"));
  assert.equal(await writes[7].cancel(), true);
  await assert.rejects(writes[7].done, { kind: "cancelled" });
  await own.start();
  await Promise.all(writes.filter((_, index) => index !== 7).map(write => write.done));
  const wanted = Array.from({ length: 30 }, (_, index) => `m${index}`).filter(text => text !== "m7");
  assert.deepEqual(await onServer(own, "bob", "alice:bob"), wanted);
  await until(() => list.items.every(item => item.n), "confirmed");
  assert.deepEqual(texts(list), wanted);
  await alice.close();
  await own.end();
});

test("a process that ends keeps its writes: they arrive when the next one comes", needsFile, async () => {
  const own = await new Server("process").start();
  await own.befriend("alice", "bob");
  const storage = join(folder, "process.db");
  let alice = await own.open("alice", { storage });
  await isLive(alice);
  await alice.chat("alice:bob").send("first").done;
  const { device } = alice;
  await own.end("SIGKILL");
  await until(() => alice.state.name !== "live", "the loss is noticed");
  const writes = [1, 2, 3].map(n => alice.chat("alice:bob").send(`kept ${n}`));
  assert.deepEqual(await Promise.all(writes.map(write => write.kept)), [1, 2, 3].map(() => ({ durable: true })));
  await alice.close();
  await assert.rejects(writes[0].done, { kind: "closed" });
  // Without a server: what was there last is readable at once.
  alice = await own.open("alice", { storage, user: "alice", token: async () => {
    throw new Error("no network");
  } });
  const list = shown(alice.chat("alice:bob"));
  await until(() => list.items.length === 4, "from the store");
  assert.equal(list.fromCache, true);
  assert.deepEqual(list.items.map(item => item.pending ?? "confirmed"), ["confirmed", "queued", "queued", "queued"]);
  await assert.rejects(alice.signOut(), { kind: "storage", code: "outbox-not-empty" });
  await alice.close();
  await own.start();
  alice = await own.open("alice", { storage });
  assert.equal(alice.device, device);
  await until(() => alice.outbox.list().length === 0, "all done");
  assert.deepEqual(await onServer(own, "bob", "alice:bob"), ["first", "kept 1", "kept 2", "kept 3"]);
  await alice.signOut();
  await own.end();
});

test("nothing of a chat that a list shows is trimmed", async () => {
  const alice = await server.open("alice", { storage: "memory" });
  await isLive(alice);
  const rows = Array.from({ length: 5100 }, (_, index) => ({ put: ["messages", { chat: "alice:zoe", n: index + 1, text: `${index + 1}`, from: "zoe", rev: 1 }] }));
  await alice.core.store.write([...rows, { put: ["chats", { chat: "alice:zoe", with: "zoe", unread: 0, read: 0, peerRead: 0, top: 5100, gaps: [], seq: 1 }] }]);
  const list = shown(alice.chat("alice:zoe"), { limit: 10_000 });
  await until(() => list.items.length === 5100, "all of them");
  const off = alice.outbox.watch(() => {});
  await alice.core.trim();
  assert.equal((await alice.core.store.range("messages", { is: "alice:zoe" })).length, 5100);
  list.off();
  await alice.core.trim();
  assert.equal((await alice.core.store.range("messages", { is: "alice:zoe" })).length, 5000);
  off();
  await alice.close();
});

test(`the server is killed ${ROUNDS} times while writes are under way: each once, in order`, { timeout: 240_000 + ROUNDS * 10_000 }, async () => {
  const own = await new Server("killed").start();
  await own.befriend("alice", "bob", "carol");
  const storage = hasSQLite ? join(folder, "killed.db") : "memory";
  const alice = await own.open("alice", { storage });
  const bob = await own.open("bob");
  await isLive(alice, bob);
  const [hers, his] = [shown(alice.chat("alice:bob"), { limit: 10_000 }), shown(bob.chat("alice:bob"), { limit: 10_000 })];
  const counter = shown(alice.doc("users/alice/tasks/counter"));
  const wanted = { "alice:bob": [], "alice:carol": [] };
  const writes = [];
  let isWriting = true;
  const violations = [];
  for (const client of [alice, bob]) client.on("violation", violation => violations.push(violation));
  const writer = (async () => {
    for (let index = 0; isWriting; index++) {
      for (const chat of Object.keys(wanted)) {
        wanted[chat].push(`${index}`);
        writes.push(alice.chat(chat).send(`${index}`));
      }
      writes.push(alice.doc("users/alice/tasks/counter").patch({ [`n${index % 50}`]: index }));
      await pause(Math.random() * 20);
      while (alice.outbox.list().length > 600) await pause(20);  // it holds 1,000
    }
  })();
  for (let round = 0; round < ROUNDS; round++) {
    await pause(50 + Math.random() * 150);
    await own.end("SIGKILL");
    await pause(Math.random() * 200);
    await own.start();
    // Each of these connections ends soon after it went live, so the waits grow; somebody who looks does not wait.
    for (const client of [alice, bob]) client.core.engine.hint("woke");
    await until(() => alice.state.name === "live", () => `live again: ${JSON.stringify(alice.state)}`, 60);
  }
  isWriting = false;
  await writer;
  const last = wanted["alice:bob"].length - 1;
  await Promise.all(writes.map(write => write.done));
  for (const [chat, texts] of Object.entries(wanted)) assert.deepEqual(await onServer(own, "alice", chat), texts, chat);
  // A device that found no server several times in a row waits up to 30 s.
  await until(() => bob.state.name === "live", () => `bob is live again: ${JSON.stringify(bob.state)}`, 45);
  await until(() => his.items.length === wanted["alice:bob"].length && hers.items.every(item => item.n), "both lists");
  assert.deepEqual(texts(his), wanted["alice:bob"]);
  assert.deepEqual(texts(hers), wanted["alice:bob"]);
  await until(() => counter.value?.version === last + 1 && !counter.value.pending, "the document");
  const { data } = (await own.command("alice", { type: "get", path: "users/alice/tasks/counter" }));
  for (let index = Math.max(0, last - 49); index <= last; index++) assert.equal(data[`n${index % 50}`], index);
  assert.deepEqual(counter.value.data, data);
  assert.deepEqual(violations, []);
  assert.equal(alice.outbox.list().length, 0);
  console.log(`# ${writes.length} writes in ${ROUNDS} rounds`);
  await Promise.all([alice.close(), bob.close()]);
  await own.end();
});

test(`the client is killed ${ROUNDS} times: what it was told as kept arrives once, in order`, { ...needsFile, timeout: 240_000 + ROUNDS * 5000 }, async () => {
  const own = await new Server("client").start();
  await own.befriend("alice", "bob");
  const storage = join(folder, "client.db");
  const run = (round, mode, killAfter) => new Promise(resolve => {
    const program = fileURLToPath(new URL("writer.mjs", import.meta.url));
    const child = spawn(process.execPath, ["--no-warnings", program, joined, own.address, own.token("alice"), storage, `${round}`, mode]);
    let [output, errors] = ["", ""];
    child.stdout.on("data", data => (output += data));
    child.stderr.on("data", data => (errors += data));
    child.on("close", () => resolve({ output, errors }));
    if (killAfter) setTimeout(() => child.kill("SIGKILL"), killAfter);
  });
  const kept = [];
  let round = 0;
  // On a busy machine a process may be killed before it has kept anything.
  for (let longest = 400; round < ROUNDS || kept.length === 0; round++, longest += kept.length === 0 ? 400 : 0) {
    const { output, errors } = await run(round, "write", 150 + Math.random() * longest);
    assert.equal(errors, "");
    kept.push(...output.split("\n").slice(0, -1));
  }
  const { output, errors } = await run(round, "drain");
  assert.equal(errors, "");
  const arrived = await onServer(own, "bob", "alice:bob");
  assert.deepEqual(JSON.parse(output), arrived, "the list is the server's");
  assert.equal(new Set(arrived).size, arrived.length, "nothing came twice");
  const there = new Set(arrived);
  assert.deepEqual(kept.filter(text => !there.has(text)), [], "nothing that was kept is missing");
  const number = text => text.split(".").reduce((sum, part) => sum * 1e6 + Number(part), 0);
  assert.deepEqual(arrived, [...arrived].sort((one, other) => number(one) - number(other)), "in order");
  console.log(`# ${kept.length} kept writes of ${round} killed processes, ${arrived.length} arrived`);
  await own.end();
});

test("after a reset the cache stays readable, is replaced as a whole, and what waits arrives once", async () => {
  const own = await new Server("reset").start();
  await own.befriend("alice", "bob");
  const [alice, bob] = [await own.open("alice"), await own.open("bob")];
  await isLive(alice, bob);
  for (const n of [1, 2, 3]) await bob.chat("alice:bob").send(`${n}`).done;
  const [list, chats, topics] = [shown(alice.chat("alice:bob")), shown(alice.chats), shown(alice.topics)];
  await until(() => list.items.length === 3);
  const resets = [];
  alice.on("reset", event => resets.push(event.reason));
  await bob.close();
  await own.end("SIGKILL");
  const write = alice.chat("alice:bob").send("4");
  rmSync(join(own.data, "watchwise.head"));  // as if a backup had been put there: a new epoch begins
  const lengths = new Set();
  const off = alice.chat("alice:bob").watch(({ items }) => lengths.add(items.length));
  await own.start();
  await write.done;
  await isLive(alice);
  await until(() => list.items.length === 4 && list.complete && list.items.every(item => item.n), "complete again");
  off();
  assert.deepEqual(resets, ["epoch"]);
  assert.deepEqual(texts(list), ["1", "2", "3", "4"]);
  assert.equal(chats.items[0].last.text, "4");
  assert.equal(chats.items[0].unread, 3);
  assert.deepEqual(topics.items.map(item => item.topic), ["user:bob"]);
  assert.deepEqual(await onServer(own, "bob", "alice:bob"), ["1", "2", "3", "4"]);
  await alice.close();
  await own.end();
});

test("a token that runs out is renewed on the connection; a refused one twice signs out; null, too", async () => {
  const asked = [];
  const alice = await server.open("alice", { user: "alice", token: async ({ reason }) => {
    asked.push(reason);
    return server.token("alice", { seconds: asked.length === 1 ? 4 : 86_400 });
  } });
  const states = [];
  alice.on("state", ({ name }) => states.push(name));
  await isLive(alice);
  await pause(5000);
  assert.deepEqual(asked, ["connect", "expiring"]);
  assert.deepEqual(states.slice(states.indexOf("live")), ["live"]);
  await alice.request({ type: "ping" });
  await alice.close();

  let count = 0;
  const refused = await server.open("alice", { user: "alice", token: async () => `${server.token("alice")}x${count++}` });
  await until(() => refused.state.name === "signed-out", "signed out");
  assert.equal(count, 2);
  await refused.close();
  const none = await server.open("alice", { user: "alice", token: async () => null });
  await until(() => none.state.name === "signed-out", "signed out");
  await none.close();
});

test("a source of tokens that fails and is slow is asked once for all who wait", async () => {
  let [count, running] = [0, 0];
  const alice = await server.open("alice", { user: "alice", token: async () => {
    assert.equal(++running, 1);
    await pause(100);
    running -= 1;
    if (++count < 3) throw new Error("no network");
    return server.token("alice");
  } });
  await isLive(alice);
  assert.equal(count, 3);
  await alice.close();
});

test("somebody who was put out is told why, and does not come back", async () => {
  const own = await new Server("kick").start();
  const alice = await own.open("alice");
  await isLive(alice);
  await own.call("operator", "PUT", "/v1/users/alice/restrictions", { kind: "ban", reason: "spam" }, { scope: "admin" });
  await until(() => alice.state.name === "blocked", "blocked");
  assert.equal(alice.state.code, 4403);
  await alice.close();
  await own.end();
});

test("what a device missed comes with its events, in their order", async () => {
  const alice = await server.open("alice", { storage: "memory" });
  await isLive(alice);
  const list = shown(alice.chat("alice:carol"), { limit: 500 });
  await alice.disconnect();
  assert.equal(alice.state.name, "idle");
  const carol = await server.open("carol");
  await isLive(carol);
  await Promise.all(Array.from({ length: 300 }, (_, index) => carol.chat("alice:carol").send(`x${index}`).done));
  const seqs = [];
  alice.on("message", ({ seq }) => seqs.push(seq));
  const started = performance.now();
  alice.connect();
  await until(() => list.items.length === 300 && list.complete, "all are here");
  console.log(`# 300 missed events shown after ${Math.round(performance.now() - started)} ms`);
  assert.deepEqual(texts(list), Array.from({ length: 300 }, (_, index) => `x${index}`));
  assert.equal(seqs.length, 300);
  assert.deepEqual(seqs, [...seqs].sort((one, other) => one - other));
  await Promise.all([alice.close(), carol.close()]);
});

test("wrong options are named", async () => {
  await assert.rejects(WatchWise.open({ token: async () => "x" }), { kind: "permanent", field: "server" });
  await assert.rejects(WatchWise.open({ server: server.address }), { kind: "permanent", field: "token" });
  await assert.rejects(WatchWise.open({ server: server.address, token: async () => "opaque", webSocket }), { field: "user" });
});

test("where there is no WebSocket `open` says so at once, and one that is passed is taken", async () => {
  const { WebSocket } = globalThis;
  globalThis.WebSocket = undefined;
  try {
    const options = { server: server.address, user: "alice", token: () => server.token("alice") };
    for (const none of [undefined, null, "ws"]) {
      await assert.rejects(WatchWise.open({ ...options, webSocket: none }), {
        kind: "permanent", code: "bad-request", field: "webSocket", message: "no WebSocket; pass webSocket, or use Node 22 or later",
      });
    }
    const ww = await WatchWise.open({ ...options, webSocket });
    await ww.close();
  } finally {
    globalThis.WebSocket = WebSocket;
  }
});
