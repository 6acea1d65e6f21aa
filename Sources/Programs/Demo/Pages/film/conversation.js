// The chat that is open: its messages, and the place to write.

import { h, changed } from "../shell/dom.js";
import { here, doing, isOnline } from "../shell/here.js";
import { t, moment } from "../shell/words.js";
import { nameOf, emptyState, to, go } from "../shell/frame.js";
import { sign } from "../shell/drawn.js";
import { openMenu } from "../shell/menu.js";
import { isRoom, otherOf, chatOf, titleOf, pictureOf, handleOf, isMuted, muteChat } from "./chat.js";
import { bubble, isEditable } from "./message.js";
import { recommendTo } from "./dialogs.js";
import { membersOf, closedOf, mutedUntil, isModerator } from "./membership.js";
import { inviteTo, renameRoom, leaveRoom } from "./rooms.js";
import { drawClosed } from "./members.js";
import { isBlocked, askToBlock, unblock } from "./blocks.js";

const STEP = 50;
/** The most that is shown to reach an old message that was found. */
const REACH = 1000;
const closed = { id: undefined, messages: [], isComplete: false, limit: STEP, off: null, editing: null, at: undefined, isPlaced: true };
let open = { ...closed };
let isAtEnd = true;
const drafts = new Map();

/** Shows another chat, or none; `n` is the number of a message that is looked for. */
export function showChat(id, n) {
  if (id !== open.id) {
    if (open.id) here.ww.chat(open.id).typing(false);
    open.off?.();
    open = { ...closed, id };
    isAtEnd = true;
    if (id) watch();
  }
  if (n !== open.at) lookFor(n);
}

function lookFor(n) {
  open.at = n;
  open.isPlaced = n === undefined;
  if (n === undefined) return;
  isAtEnd = false;
  const wanted = Math.min(REACH, (chatOf(open.id)?.last?.n ?? n) - n + STEP);
  if (wanted > open.limit) {
    open.limit = wanted;
    watch();
  }
}

function watch() {
  const mine = open;
  mine.off?.();
  mine.off = here.ww.chat(mine.id).watch(({ items, complete }) => {
    Object.assign(mine, { messages: items, isComplete: complete });
    changed();
  }, { limit: mine.limit });
}

/** What is on the screen is read. */
export function markRead() {
  if (!open.id || document.visibilityState !== "visible") return;
  const n = Math.max(0, ...open.messages.filter(one => one.from !== here.user && one.n).map(one => one.n));
  if (n > (chatOf(open.id)?.read ?? 0) && n > (open.asked ?? 0)) {
    open.asked = n;
    here.ww.chat(open.id).read(n);
  }
}

function typed(event) {
  drafts.set(open.id, event.target.value);
  if (chatOf(open.id)?.last && !open.editing) here.ww.chat(open.id).typing(event.target.value !== "");
}

// Writing

const field = () => document.getElementById("text");

/** Begins to change a message: its text is where one writes. */
function edit(message) {
  open.editing = message;
  drafts.set(open.id, message.text);
  changed();
  queueMicrotask(() => {
    field().focus();
    field().setSelectionRange(message.text.length, message.text.length);
  });
}

function endEditing() {
  open.editing = null;
  drafts.delete(open.id);
  changed();
}

function submit(event) {
  event.preventDefault();
  const text = field().value.trim();
  const { editing } = open;
  if (!text && editing) return;
  field().value = "";
  endEditing();
  if (!text) return;
  if (editing) {
    if (text !== editing.text) doing(here.ww.chat(open.id).edit(editing.n, text));
    return;
  }
  if (open.at !== undefined) go("chats", open.id);
  isAtEnd = true;
  doing(handleOf(open.id).send(text));
}

function pressedKey(event) {
  if (event.isComposing) return;
  if (event.key === "Escape" && open.editing) endEditing();
  else if (event.key === "ArrowUp" && !event.target.value) {
    const last = open.messages.findLast(isEditable);
    if (!last) return;
    edit(last);
  } else if (event.key === "Enter" && !event.shiftKey) document.getElementById("composer").requestSubmit();
  else return;
  event.preventDefault();
}

/** In the place of where one writes: why one may not. */
const barred = (text, ...more) => h("div", { id: "barred", class: "bar" }, sign("block"), h("p", { class: "grow" }, text), ...more);

function composer() {
  const other = otherOf(open.id);
  const until = isRoom(open.id) && mutedUntil(open.id);
  if (until) return barred(t("room.youMuted", { time: moment(until) }));
  if (!isRoom(open.id) && isBlocked(other)) return barred(t("blocked", { name: nameOf(other) }), h("button", { type: "button", class: "quiet framed", click: () => unblock(other) }, t("unblock")));
  const { editing } = open;
  return h("form", { id: "composer", submit },
    editing ? h("div", { id: "editing", class: "editing" }, sign("pen"), h("p", { class: "grow" }, h("strong", {}, t("editing")), h("small", { dir: "auto" }, editing.text)),
      h("button", { type: "button", id: "editing-close", class: "icon", "aria-label": t("cancel"), click: endEditing }, sign("close"))) : null,
    h("textarea", { id: "text", rows: 1, maxlength: 4000, dir: "auto", "aria-label": t("write"), placeholder: t("write"), value: drafts.get(open.id) ?? "",
      input: typed, keydown: pressedKey }),
    h("button", { class: "primary", "aria-label": t(editing ? "save" : "send") }, sign(editing ? "check" : "send"), h("span", { class: "sendLabel" }, t(editing ? "save" : "send"))));
}

// The place where one reads

/** After drawing: a reader at the end keeps the newest message in sight, and a message that is looked for is shown. */
export function keepEnd() {
  const scroller = document.getElementById("scroller");
  if (!scroller || !open.messages.length) return;
  if (!open.isPlaced) {
    const message = scroller.querySelector(`[data-n="${open.at}"]`);
    message?.scrollIntoView({ block: "center" });
    open.isPlaced = Boolean(message);
  } else if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
}

function scrolled({ currentTarget: box }) {
  const was = isAtEnd;
  isAtEnd = open.isPlaced && box.scrollHeight - box.scrollTop - box.clientHeight < 60;
  if (was !== isAtEnd) changed();
}

function toEnd() {
  isAtEnd = true;
  if (open.at !== undefined) go("chats", open.id);
  changed();
}

// The head

function chatMenu(event) {
  const { id } = open;
  const other = otherOf(id);
  const mute = { label: t(isMuted(id) ? "unmuteChat" : "muteChat"), sign: isMuted(id) ? "bell" : "mute", act: () => muteChat(id, !isMuted(id)) };
  const ofRoom = () => [
    { label: t("room.members"), sign: "people", act: () => go("room", id) },
    isModerator(id) && { label: t("room.invite"), sign: "plus", act: () => inviteTo(id) },
    isModerator(id) && { label: t("room.rename"), sign: "pen", act: () => renameRoom(id) },
    mute,
    { label: t("room.leave"), sign: "out", isDanger: true, act: () => leaveRoom(id) },
  ];
  const ofPerson = () => [
    { label: t("profile"), sign: "people", act: () => go("user", other) },
    mute,
    isBlocked(other) ? { label: t("unblock"), sign: "check", act: () => unblock(other) }
      : { label: t("block"), sign: "block", isDanger: true, act: () => askToBlock(other) },
  ];
  openMenu(event.currentTarget, t("chatMenu"), isRoom(id) ? ofRoom() : ofPerson());
}

function stateText(id) {
  if ((here.typing.get(id) ?? 0) > Date.now()) return t("typing");
  if (here.state.name !== "live") return t("cached");
  if (isRoom(id)) return (membersOf(id) ?? []).map(({ user }) => user === here.user ? t("you") : nameOf(user)).join(", ");
  const online = isOnline(otherOf(id));
  return online === undefined ? "" : t(online ? "online" : "away");
}

function head(id) {
  const other = otherOf(id);
  return h("header", { class: "bar" },
    h("a", { id: "back", class: "icon", href: to("chats"), "aria-label": t("back") }, sign("back")),
    h("span", { id: "peer-avatar", class: "peerAvatar", "data-online": isOnline(other) === true }, pictureOf(id)),
    h("div", { class: "grow" }, h("h1", { id: "peer", tabindex: "-1", dir: "auto" }, h("a", { href: isRoom(id) ? to("room", id) : to("user", other) }, titleOf(id))),
      h("p", { id: "peer-state", "data-typing": (here.typing.get(id) ?? 0) > Date.now() }, stateText(id))),
    isRoom(id) || isBlocked(other) ? null : h("button", { type: "button", id: "recommend", class: "quiet framed", "aria-label": t("recommend"), click: () => recommendTo(other) },
      sign("film"), h("span", { class: "sendLabel" }, t("recommend"))),
    h("button", { type: "button", id: "chat-menu", class: "icon", "aria-haspopup": "menu", "aria-label": t("chatMenu"), click: chatMenu }, sign("dots")));
}

/** A room that one is not in, or no longer. */
function drawAsClosed(id, closed) {
  // The place to write goes, and the focus with it.
  if (document.getElementById("composer")?.contains(document.activeElement)) queueMicrotask(() => document.getElementById("peer").focus());
  return h("section", { class: "conversation", "aria-label": t("messages"), key: `conversation/${id}`, id: "closed" },
    h("header", { class: "bar" }, h("a", { id: "back", class: "icon", href: to("chats"), "aria-label": t("back") }, sign("back")),
      h("span", { class: "peerAvatar" }, pictureOf(id)), h("h1", { id: "peer", class: "grow", tabindex: "-1", dir: "auto" }, closed.title ?? t("group"))),
    h("div", { class: "scroller", role: "log", "aria-label": t("messages"), tabindex: "0" }, drawClosed(closed)));
}

/** The open chat. */
export function drawConversation(id) {
  const closed = isRoom(id) && closedOf(id);
  if (closed) return drawAsClosed(id, closed);
  const known = open.messages.filter(one => one.n);
  // To those who came later, what was said before does not exist.
  const hasEarlier = known[0]?.n > 1 && (!open.isComplete || known.length >= open.limit);
  const nothing = () => emptyState(!open.isComplete && chatOf(id) ? t("loading") : isRoom(id) ? t("room.empty") : t("chatEmpty", { name: nameOf(otherOf(id)) }));
  return h("section", { class: "conversation", "aria-label": t("messages"), key: `conversation/${id}` },
    head(id),
    h("div", { id: "scroller", class: "scroller", tabindex: "0", role: "log", "aria-label": t("messages"), scroll: scrolled },
      hasEarlier ? h("button", { type: "button", id: "earlier", class: "quiet", click: () => { open.limit += STEP; isAtEnd = false; watch(); } },
        t("earlier")) : null,
      open.messages.length === 0 && !isBlocked(otherOf(id)) ? nothing() : null,
      h("ol", { id: "messages" }, open.messages.map(message => bubble(id, message, { edit, found: open.at })))),
    h("button", { type: "button", id: "newest", class: "icon", hidden: isAtEnd || !open.messages.length, "aria-label": t("newest"), click: toEnd }, sign("down")),
    composer());
}
