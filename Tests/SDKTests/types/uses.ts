import { PushState, WatchWise, WatchWiseError, WatchWiseWorker, Message, Snapshot, State } from "watchwise";
interface Task { title: string; done: boolean }
async function main() {
  const ww = await WatchWise.open({ server: "http://x", token: async ({ reason }) => reason === "open" ? null : "t", user: "alice", onConflict: ({ current }) => current.version > 1 ? "theirs" : { a: 1 } });
  const off: () => void = ww.chat({ with: "bob" }).watch(({ items, changes }: Snapshot<Message>) => { for (const change of changes) if (change.kind === "move") change.from.toFixed(); items[0].text?.length; }, { limit: 5 });
  const list = ww.chat("alice:bob").watch(({ hasMore }) => hasMore && list.more(50), { limit: 50 }); list(); list.more();
  for (const more of [ww.chats.watch(() => {}, { limit: 9 }), ww.inbox.watch(() => {}), ww.topics.watch(() => {}, { limit: 9 }), ww.collection("a").watch(() => {}, { limit: 9 })]) more.more(1);
  const { n, at }: { n: number; at: string } = await ww.chat("alice:bob").send("x", { replyTo: 1 }).done;
  const { durable } = await ww.topics.follow("person:1").kept;
  ww.doc<Task>("users/alice/tasks/1").watch(({ value }) => value?.data.title.length);
  await ww.doc<Task>("a/b").put({ title: "", done: true }, { ifVersion: 0 }).done;
  ww.on("state", (state: State) => { if (state.name === "waiting") state.attempt + state.until; if (state.name === "blocked") state.reason; });
  ww.on("storage", event => event.state === "memory");
  for await (const event of ww.events()) event.seq;
  ww.unread.watch(({ value }) => value?.confirmed.chats);
  await ww.inbox.snooze(["n1"], new Date()).done; ww.inbox.seen({ upTo: 3 });
  const { unread }: { unread: number } = await ww.inbox.archive(["n1"]).done; unread.toFixed();
  const { members } = await ww.rooms.members("room:1", { limit: 5 }); members[0].muted?.length; await ww.rooms.role("room:1", members[0].user, "moderator").done;
  await ww.rooms.remove("room:1", "bob", { ban: true, until: new Date() }).done; ww.rooms.mute("room:1", "bob"); (await ww.rooms.list({ open: true })).rooms[0].role;
  (await ww.invitations.list({ limit: 5 })).invitations[0].expires; ww.invitations.watch(({ items }) => items[0]?.title.length); ww.invitations.decline("room:1");
  await ww.invitations.accept("room:1").done; (await ww.rooms.invite("room:1", ["bob"]).done).leftOut?.length;
  try { await ww.request<{ time: string }>({ type: "ping" }); } catch (error) { if (error instanceof WatchWiseError && error.kind === "retry") error.retryAfterMs; }
  ww.on("push", (state: PushState) => state === "denied"); ww.on("opened", ({ id, chat, n }) => id ?? chat ?? n?.toFixed());
  await ww.push.enable({ privacy: "hidden" }); if (ww.push.state === "on") await ww.push.disable();
  await ww.signOut({ force: true }); off(); return [n, at, durable];
}
/** As in a worker of one's own. */
function inWorker(watchwise: WatchWiseWorker, event: any) { watchwise.read(event)?.ww; const { title }: { title: string } = watchwise.draw(null); watchwise.listen(); return title; }
async function wrong(ww: WatchWise) {
  // @ts-expect-error
  await WatchWise.open({ server: "x" });
  // @ts-expect-error
  ww.chat(7);
  // @ts-expect-error
  ww.chat("a:b").send(7);
  // @ts-expect-error
  ww.doc<Task>("a/b").put({ title: 1 });
  // @ts-expect-error
  ww.preferences.watch(() => {}).more(50);
  // @ts-expect-error
  ww.inbox.seen({});
  // @ts-expect-error
  ww.inbox.archive("n1");
  // @ts-expect-error
  ww.rooms.role("room:1", "bob", "admin");
  // @ts-expect-error
  ww.push.enable({ privacy: "sealed" });
  // @ts-expect-error
  new WatchWise();
  // @ts-expect-error
  (await ww.chat("a:b").send("x").done).text;
}
export { main, wrong, inWorker };
