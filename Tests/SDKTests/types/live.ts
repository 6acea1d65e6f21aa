import { EventOf, Notification, WatchWise, WatchWiseError } from "watchwise/live";
import { SQLiteStore } from "watchwise/sqlite";
import { Store, WatchWise as Whole } from "watchwise";
async function main() {
  const ww = await WatchWise.open({ server: "http://x", token: () => "t", connect: false });
  const off: () => void = ww.on("notification", (event: EventOf<"notification">) => event.title.length + (event.expires?.length ?? 0));
  ww.on("message", ({ chat, n, text }) => [chat.length, n.toFixed(), text?.length]);
  ww.on("of.a.later.version", event => event.anything);
  ww.unread.watch(({ value: { chats, notifications }, complete }) => complete && chats + notifications);
  ww.inbox.watch(({ items }: { items: Notification[] }) => items[0].seen, { limit: 5 });
  const { unread }: { unread: number } = await ww.inbox.seen({ upTo: 7 });
  const { n }: { n: number } = await ww.request({ type: "send", to: "bob", text: "x", key: "k" });
  ww.tell({ type: "typing", chat: "a:b", on: true });
  try { await ww.inbox.archive(["n1"]); } catch (error) { if (error instanceof WatchWiseError) error.kind === "limit"; }
  const later = await ww.request<{ a: number }>({ type: "of.a.later.version", b: 1 }); later.a.toFixed();
  off(); await ww.close(); return [unread, n];
}
async function native(database: any) {
  const storage: Store = new SQLiteStore({ exec: sql => database.exec(sql), query: (sql, values) => database.query(sql, values), close() {} });
  return Whole.open({ server: "http://x", token: () => null, storage });
}
async function wrong(ww: WatchWise) {
  // @ts-expect-error
  await ww.request({ type: "send", to: "bob", text: 7, key: "k" });
  // @ts-expect-error
  await ww.request({ type: "send", chat: "a:b", to: "bob", text: "x", key: "k" });
  // @ts-expect-error
  (await ww.request({ type: "ping" })).nothing;
  // @ts-expect-error
  ww.on("message", event => event.nothing);
  // @ts-expect-error
  ww.chat("a:b");
  // @ts-expect-error
  WatchWise.open({ server: "x", token: () => null, storage: "file" });
  // @ts-expect-error
  new SQLiteStore({ exec() {} });
}
export { main, native, wrong };
