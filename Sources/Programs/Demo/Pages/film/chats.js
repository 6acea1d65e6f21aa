// The chats: the list, and the one that is open.

import { h, changed } from "../shell/dom.js";
import { here, isOnline } from "../shell/here.js";
import { t, timeOf } from "../shell/words.js";
import { nameOf, pageTitle, emptyState, to, goInstead, pendingMark } from "../shell/frame.js";
import { sign } from "../shell/drawn.js";
import { others } from "./data.js";
import { isRoom, pair, otherOf, titleOf, pictureOf, isMuted } from "./chat.js";
import { drawConversation, showChat } from "./conversation.js";
import { drawInvitations, makeRoom } from "./rooms.js";
import { searchField, isSearching, drawFound } from "./search.js";

const isTyping = id => (here.typing.get(id) ?? 0) > Date.now();
const preview = message => message.deleted ? t("deleted") : message.product ? `${t("film")}: ${message.product.title ?? message.product.id}` : message.text ?? "–";

/** The line under the name: the newest message, with its author where that is not plain. */
function line(id, last) {
  if (isTyping(id)) return t("typing");
  if (!last) return t(!isRoom(id) && isOnline(otherOf(id)) ? "online" : "notWritten");
  const author = last.from === here.user ? `${t("youSay")} ` : isRoom(id) ? `${nameOf(last.from)}: ` : "";
  return author + preview(last);
}

function row(id, open, chat) {
  const last = chat?.last;
  const unread = chat?.unread ?? 0;
  return h("li", { key: id }, h("a", { class: "person", href: to("chats", id), "data-chat": id, "data-unread": unread,
    "aria-current": open === id ? "true" : undefined },
    pictureOf(id), h("span", { class: "grow" }, h("strong", { dir: "auto" }, titleOf(id)), h("small", { dir: "auto" }, line(id, last))),
    h("span", { class: "personEnd" }, last ? timeOf(last.at, h) : null, pendingMark(last),
      isMuted(id) ? h("span", { class: "mutedMark", title: t("chatMuted") }, sign("mute"), h("span", { class: "unseen" }, t("chatMuted"))) : null,
      unread ? h("span", { class: "badge" }, String(unread)) : null, unread ? h("span", { class: "unseen" }, t("unread")) : null)));
}

let wasGreeted = false;

/** The page; on a wide one the newest chat is open at first. */
export function drawChats([, id, n]) {
  const known = new Set(here.chats.map(one => one.chat));
  const others_ = others().filter(other => !known.has(pair(other)));
  if (!id && !wasGreeted && here.chats.length && document.getElementById("root").clientWidth >= 600) {
    wasGreeted = true;
    const [newest] = here.chats;
    queueMicrotask(() => { goInstead("chats", newest.chat); changed(); });
  }
  if (id) wasGreeted = true;
  showChat(id, n === undefined ? undefined : Number(n));
  return h("div", { class: "chatPage", "data-open": Boolean(id) },
    h("section", { id: "side", class: "chatList" }, pageTitle(t("chats"),
      h("button", { type: "button", id: "new-room", class: "quiet framed small", "aria-label": t("room.new"), title: t("room.new"),
        click: makeRoom }, sign("plus"), h("span", { class: "sendLabel" }, t("room.new")))),
      searchField(), isSearching() ? h("div", { id: "found", key: "found" }, drawFound()) : h("div", { key: "all" },
      drawInvitations(),
      h("ul", { id: "chats", class: "persons" }, here.chats.filter(one => !one.archived || one.chat === id).map(one => row(one.chat, id, one))),
      others_.length ? h("h2", { class: "listTitle" }, t("writeTo")) : null,
      h("ul", { class: "persons" }, others_.map(other => row(pair(other), id))))),
    id ? drawConversation(id) : h("section", { class: "conversation", "aria-label": t("messages") }, emptyState(t("choose"))));
}
