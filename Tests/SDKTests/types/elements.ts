import { Notification, WatchWise } from "watchwise";
import { WatchWise as Live } from "watchwise/live";
import { ElementEvents, WatchWiseChat, WatchWiseInbox } from "watchwise/elements";
export function right(ww: WatchWise, live: Live) {
  const inbox: WatchWiseInbox = document.createElement("watchwise-inbox");
  inbox.library = live; inbox.library = ww; inbox.words = { inbox: "News", new: { one: "{n} new", other: "{n} new" } };
  inbox.addEventListener("watchwise-open", ({ detail }) => { const one: Notification = detail; return one.title; });
  inbox.addEventListener("watchwise-count", ({ detail: { notifications } }) => notifications.toFixed());
  inbox.addEventListener("click", () => inbox.show()); inbox.hide();
  const chat: WatchWiseChat | null = document.querySelector("watchwise-chat");
  if (!chat) return;
  chat.names = async user => user.toUpperCase(); chat.names = () => undefined; chat.connect();
  chat.addEventListener("watchwise-ready", (event: ElementEvents["watchwise-ready"]) => event.detail.library.chat({ with: "bob" }).send("x"));
}
export function wrong(live: Live, chat: WatchWiseChat) {
  // @ts-expect-error
  chat.library = live;
  // @ts-expect-error
  chat.show();
  // @ts-expect-error
  chat.names = () => 7;
}
