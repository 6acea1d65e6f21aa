// The chats: the list, and the one that is open.

import { h, changed } from "../shell/dom.js";
import { here, isOnline } from "../shell/here.js";
import { t, timeOf } from "../shell/words.js";
import { avatar, nameOf, pageTitle, emptyState, to, goInstead, pendingMark } from "../shell/frame.js";
import { others } from "./data.js";
import { drawConversation, showChat, otherOf } from "./conversation.js";

const isTyping = id => (here.typing.get(id) ?? 0) > Date.now();
const preview = message => message.deleted ? t("deleted") : message.product ? `${t("film")}: ${message.product.title ?? message.product.id}` : message.text ?? "–";

function row(id, open, chat) {
  const other = otherOf(id);
  const last = chat?.last;
  const unread = chat?.unread ?? 0;
  return h("li", { key: id }, h("a", { class: "person", href: to("chats", id), "data-chat": id, "data-unread": unread,
    "aria-current": open === id ? "true" : undefined },
    avatar(other), h("span", { class: "grow" }, h("strong", {}, chat?.title ?? nameOf(other)),
      h("small", {}, isTyping(id) ? t("typing") : last ? (last.from === here.user ? `${t("youSay")} ` : "") + preview(last) : t(isOnline(other) ? "online" : "notWritten"))),
    h("span", { class: "personEnd" }, last ? timeOf(last.at, h) : null, pendingMark(last),
      unread ? h("span", { class: "badge" }, String(unread)) : null, unread ? h("span", { class: "unseen" }, t("unread")) : null)));
}

let wasGreeted = false;

/** The page; on a wide one the newest chat is open at first. */
export function drawChats([, id]) {
  const known = new Set(here.chats.map(one => one.chat));
  const pair = other => [here.user, other].sort().join(":");
  const others_ = others().filter(other => !known.has(pair(other)));
  if (!id && !wasGreeted && here.chats.length && document.getElementById("root").clientWidth >= 600) {
    wasGreeted = true;
    const [newest] = here.chats;
    queueMicrotask(() => { goInstead("chats", newest.chat); changed(); });
  }
  if (id) wasGreeted = true;
  showChat(id);
  return h("div", { class: "chatPage", "data-open": Boolean(id) },
    h("section", { id: "side", class: "chatList" }, pageTitle(t("chats")),
      h("ul", { id: "chats", class: "persons" }, here.chats.filter(one => !one.archived || one.chat === id).map(one => row(one.chat, id, one))),
      others_.length ? h("h2", { class: "listTitle" }, t("writeTo")) : null,
      h("ul", { class: "persons" }, others_.map(other => row(pair(other), id)))),
    id ? drawConversation(id) : h("section", { class: "conversation", "aria-label": t("messages") }, emptyState(t("choose"))));
}
