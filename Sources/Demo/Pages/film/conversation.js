// One chat: messages with what became of them, recommendations that say whether they were read and whether the film was
// watched, and the place to write.

import { h, changed } from "../shell/dom.js";
import { here, doing, isOnline } from "../shell/here.js";
import { t, timeOf } from "../shell/words.js";
import { avatar, nameOf, emptyState, to } from "../shell/frame.js";
import { poster, stars, sign } from "../shell/drawn.js";
import { filmOf, ratingOf, rate } from "./data.js";
import { recommendTo, watchedIt } from "./dialogs.js";

const STEP = 50;
let open = { id: undefined, messages: [], isComplete: false, limit: STEP, off: null };

/** The other one of a chat of two; the chat itself for a room. */
export const otherOf = id => id.startsWith("room:") ? id : id.split(":").find(one => one !== here.user) ?? here.user;

const chatOf = id => here.chats.find(one => one.chat === id);

/** Shows another chat, or none. */
export function showChat(id) {
  if (id === open.id) return;
  stopTyping();
  open.off?.();
  open = { id, messages: [], isComplete: false, limit: STEP, off: null };
  if (id) watch();
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

let typingSince = 0;
let typingEnds;
function stopTyping() {
  clearTimeout(typingEnds);
  if (open.id && typingSince) here.ww.chat(open.id).typing(false);
  typingSince = 0;
}

function typed() {
  if (!chatOf(open.id)?.last) return;
  if (Date.now() - typingSince > 3000) {
    typingSince = Date.now();
    here.ww.chat(open.id).typing(true);
  }
  clearTimeout(typingEnds);
  typingEnds = setTimeout(stopTyping, 4000);
}

function stateOf({ n, from, pending }) {
  if (from !== here.user) return "received";
  if (pending) return ["failed", "blocked", "uncertain"].includes(pending) ? "failed" : "pending";
  const { peerRead = 0, delivered = 0 } = chatOf(open.id) ?? {};
  return n <= peerRead ? "read" : n <= delivered ? "delivered" : "sent";
}

/** What became of a recommendation: not read, read, watched. Reading it is not watching the film. */
function outcome({ n, from, product }) {
  const isMine = from === here.user;
  const other = otherOf(open.id);
  const rating = ratingOf(isMine ? other : here.user, product.id);
  const isRead = n !== undefined && n <= ((isMine ? chatOf(open.id)?.peerRead : chatOf(open.id)?.read) ?? 0);
  const film = filmOf(product.id, product);
  const says = rating ? t(isMine ? "outcome.watched" : "outcome.youWatched", { name: nameOf(other) })
    : isMine ? t(isRead ? "outcome.read" : "outcome.unread", { name: nameOf(other) }) : null;
  return { isRead, isWatched: Boolean(rating), shown: [
    says && h("p", { class: rating ? "chip good" : isRead ? "chip" : "chip faint" }, sign(rating ? "check" : isRead ? "eye" : "clock"), says),
    rating?.rating ? stars(rating.rating, t("outOf5", { n: rating.rating })) : null,
    !isMine && !rating && h("button", { type: "button", class: "quiet framed small", click: () => watchedIt(film, rate) }, sign("eye"),
      t("iWatched")),
  ] };
}

function card(message) {
  const film = filmOf(message.product.id, message.product);
  const { isRead, isWatched, shown } = outcome(message);
  return h("div", { class: "filmCard", "data-product": film.id, "data-seen": isRead, "data-watched": isWatched },
    h("a", { href: to("film", film.id), class: "posterLink", tabindex: "-1", "aria-hidden": "true" }, poster(film)),
    h("div", {}, h("strong", {}, h("a", { href: to("film", film.id) }, film.title)), film.year ? h("small", {}, String(film.year)) : null, shown));
}

const EMOJI = ["❤️", "😂", "😮", "😢"];

function reactions(message) {
  const on = emoji => message.reactions?.find(one => one.emoji === emoji);
  const extra = (message.reactions ?? []).map(one => one.emoji).filter(emoji => !EMOJI.includes(emoji));
  return h("div", { class: "reactions" }, [...EMOJI, ...extra].map(emoji => {
    const one = on(emoji);
    return h("button", { type: "button", class: one ? "reaction there" : "reaction", "aria-pressed": one?.mine ? "true" : "false",
      "aria-label": t("react", { emoji, n: one?.count ?? 0 }), click: () => doing(here.ww.chat(open.id).react(message.n, emoji, !one?.mine)) },
      emoji, one && one.count > 1 ? ` ${one.count}` : "");
  }));
}

function bubble(message) {
  const { n, from, at, text, product, editedAt, deleted, key, pending } = message;
  const isMine = from === here.user;
  const state = stateOf(message);
  return h("li", { class: "message", key: key ?? `${from}/${n}`, "data-n": n, "data-mine": isMine, "data-state": state },
    product && !deleted ? card(message) : null,
    text || deleted || !product ? h("p", { class: "text" }, deleted ? t("deleted") : text ?? "–") : null,
    h("footer", {}, at ? timeOf(at, h) : null, editedAt && !deleted ? ` · ${t("edited")}` : "",
      isMine ? h("span", { class: "state" }, at ? " · " : "", t(`message.${state}`)) : null),
    state === "failed" && h("div", { class: "row" }, h("small", {}, message.error?.message ?? ""),
      h("button", { type: "button", class: "quiet small", click: () => here.ww.outbox.retry(key) }, t("retry")),
        h("button", { type: "button", class: "quiet small", click: () => here.ww.outbox.discard(key) }, t("discard"))),
    n && !deleted && !pending && !isMine ? reactions(message) : message.reactions?.length ? h("p", { class: "reactionsShown" },
      message.reactions.map(one => `${one.emoji}${one.count > 1 ? ` ${one.count}` : ""}`).join("  ")) : null);
}

function submit(event) {
  event.preventDefault();
  const field = document.getElementById("text");
  const text = field.value.trim();
  field.value = "";
  if (!text) return;
  stopTyping();
  isAtEnd = true;
  doing(here.ww.chat(open.id.startsWith("room:") ? open.id : { with: otherOf(open.id) }).send(text));
}

let isAtEnd = true;

/** After drawing: a reader at the end keeps the newest message in sight. */
export function keepEnd() {
  const scroller = document.getElementById("scroller");
  if (!scroller) return;
  if (scroller.dataset.shown !== open.id || isAtEnd) scroller.scrollTop = scroller.scrollHeight;
  if (open.messages.length) scroller.dataset.shown = open.id;
}

/** The open chat. */
export function drawConversation(id) {
  const other = otherOf(id);
  const online = isOnline(other);
  const isTyping = (here.typing.get(id) ?? 0) > Date.now();
  const about = isTyping ? t("typing") : here.state.name !== "live" ? t("cached") : online === undefined ? "" : t(online ? "online" : "away");
  const first = open.messages.find(one => one.n)?.n ?? 1;
  return h("section", { class: "conversation", "aria-label": t("messages"), key: "conversation" },
    h("header", { class: "bar" },
      h("a", { id: "back", class: "icon", href: to("chats"), "aria-label": t("back") }, sign("back")),
      h("span", { id: "peer-avatar", class: "peerAvatar", "data-online": online === true }, avatar(other)),
      h("div", { class: "grow" }, h("h1", { id: "peer", tabindex: "-1" }, h("a", { href: to("user", other) }, chatOf(id)?.title ?? nameOf(other))),
        h("p", { id: "peer-state", "data-typing": isTyping }, about)),
      h("button", { type: "button", id: "recommend", class: "quiet framed", "aria-label": t("recommend"), click: () => recommendTo(other) },
        sign("film"), h("span", { class: "sendLabel" }, t("recommend")))),
    h("div", { id: "scroller", class: "scroller", tabindex: "0", role: "log", "aria-label": t("messages"),
      scroll: event => { const box = event.currentTarget; isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 60; } },
      first > 1 ? h("button", { type: "button", id: "earlier", class: "quiet", click: () => { open.limit += STEP; isAtEnd = false; watch(); } },
        t("earlier")) : null,
      open.messages.length === 0 ? emptyState(t(open.isComplete || !chatOf(id) ? "chatEmpty" : "loading", { name: nameOf(other) })) : null,
      h("ol", { id: "messages" }, open.messages.map(bubble))),
    h("form", { id: "composer", submit },
      h("textarea", { id: "text", rows: 1, maxlength: 4000, "aria-label": t("write"), placeholder: t("write"), input: typed,
        keydown: event => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          document.getElementById("composer").requestSubmit();
        } }),
      h("button", { class: "primary", "aria-label": t("send") }, sign("send"), h("span", { class: "sendLabel" }, t("send")))));
}

