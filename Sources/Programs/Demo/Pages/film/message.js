// One message: what became of it, a recommendation that says whether it was read and whether the film was watched,
// reactions, and a menu.

import { h } from "../shell/dom.js";
import { here, doing, say, whyNot } from "../shell/here.js";
import { t, timeOf } from "../shell/words.js";
import { avatar, nameOf, to } from "../shell/frame.js";
import { poster, stars, sign } from "../shell/drawn.js";
import { openMenu, pressed } from "../shell/menu.js";
import { filmOf, ratingOf, rate } from "./data.js";
import { isRoom, otherOf, chatOf } from "./chat.js";
import { openDialog, watchedIt } from "./dialogs.js";

function stateOf(id, { n, from, pending }) {
  if (from !== here.user) return "received";
  if (pending && n === undefined) return ["failed", "blocked", "uncertain"].includes(pending) ? "failed" : "pending";
  const { peerRead = 0, delivered = 0 } = chatOf(id) ?? {};
  return n <= peerRead ? "read" : n <= delivered ? "delivered" : "sent";
}

/** What became of a recommendation: not read, read, watched. Reading it is not watching the film. */
function outcome(id, { n, from, product }) {
  const isMine = from === here.user;
  const other = otherOf(id);
  const rating = ratingOf(isMine ? other : here.user, product.id);
  const isRead = n !== undefined && n <= ((isMine ? chatOf(id)?.peerRead : chatOf(id)?.read) ?? 0);
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

function card(id, message) {
  const film = filmOf(message.product.id, message.product);
  const { isRead, isWatched, shown } = outcome(id, message);
  return h("div", { class: "filmCard", "data-product": film.id, "data-seen": isRead, "data-watched": isWatched },
    h("a", { href: to("film", film.id), class: "posterLink", tabindex: "-1", "aria-hidden": "true" }, poster(film)),
    h("div", {}, h("strong", {}, h("a", { href: to("film", film.id) }, film.title)), film.year ? h("small", {}, String(film.year)) : null, shown));
}

const EMOJI = ["❤️", "😂", "😮", "😢"];

const react = (id, message, emoji) => {
  const isMine = message.reactions?.some(one => one.emoji === emoji && one.mine);
  doing(here.ww.chat(id).react(message.n, emoji, !isMine));
};

/** Those that are there; under a message of others also those that one may choose. */
function reactions(id, message, isMine) {
  const there = message.reactions ?? [];
  const rest = isMine ? [] : EMOJI.filter(emoji => !there.some(one => one.emoji === emoji)).map(emoji => ({ emoji, count: 0 }));
  const all = [...there, ...rest].sort((one, other) => EMOJI.indexOf(one.emoji) - EMOJI.indexOf(other.emoji));
  return all.length ? h("div", { class: "reactions" }, all.map(({ emoji, count, mine }) => h("button", { type: "button", key: emoji,
    class: count ? "reaction there" : "reaction", "aria-pressed": mine ? "true" : "false",
    "aria-label": `${t("react", { emoji })}${count ? `, ${count}` : ""}`, click: () => react(id, message, emoji) }, emoji, count > 1 ? ` ${count}` : ""))) : null;
}

function copy(text) {
  navigator.clipboard?.writeText(text).then(() => say(t("copied")), () => say(t("copyFailed")));
}

function askToDelete(id, { n }) {
  openDialog("delete-dialog", t("deleteAsk"), [h("p", {}, t("deleteHint"))], t("delete"), () => doing(here.ww.chat(id).delete(n)));
}

/** Whether its author may still change it: a recommendation is not changed. */
export const isEditable = ({ n, from, text, product, deleted }) => n && from === here.user && text && !product && !deleted;

function menuOf(id, message, edit) {
  const { n, from, text } = message;
  const mayDelete = from === here.user || ["owner", "moderator"].includes(chatOf(id)?.role);
  return point => {
    const button = document.querySelector(`.message[data-n="${n}"] .messageMenu`);
    if (button) openMenu(button, t("messageMenu"), [
      EMOJI.map(emoji => ({ label: t("react", { emoji }), text: emoji, act: () => react(id, message, emoji),
        isOn: Boolean(message.reactions?.some(one => one.emoji === emoji && one.mine)) })),
      isEditable(message) && { label: t("edit"), sign: "pen", act: () => edit(message) },
      text && { label: t("copy"), sign: "copy", act: () => copy(text) },
      mayDelete && { label: t("delete"), sign: "trash", isDanger: true, act: () => askToDelete(id, message) },
    ], point);
  };
}

function failed({ key, error }) {
  return h("div", { class: "row" }, h("small", {}, error ? whyNot(error) : ""),
    h("button", { type: "button", class: "quiet small", click: () => here.ww.outbox.retry(key) }, t("retry")),
    h("button", { type: "button", class: "quiet small", click: () => here.ww.outbox.discard(key) }, t("discard")));
}

/** A message as an item of the list. `edit` begins to change it. */
export function bubble(id, message, { edit, found }) {
  const { n, from, at, text, product, editedAt, deleted, key } = message;
  const isMine = from === here.user;
  const state = stateOf(id, message);
  const isWhole = n && !deleted;
  const open = menuOf(id, message, edit);
  return h("li", { class: "message", key: key ?? `${from}/${n}`, "data-n": n, "data-mine": isMine, "data-state": state, "data-found": n !== undefined && n === found,
    ...(isWhole ? pressed(open) : {}) },
    isRoom(id) && !isMine ? h("p", { class: "author" }, avatar(from), h("a", { href: to("user", from) }, nameOf(from))) : null,
    product && !deleted ? card(id, message) : null,
    text || deleted || !product ? h("p", { class: "text", dir: "auto" }, deleted ? t("deleted") : text ?? "–") : null,
    h("footer", {}, at ? timeOf(at, h) : null, editedAt && !deleted ? ` · ${t("edited")}` : "",
      isMine ? h("span", { class: "state" }, at ? " · " : "", t(`message.${state}`)) : null,
      isWhole ? h("button", { type: "button", class: "messageMenu", "aria-haspopup": "menu", "aria-label": t("messageMenu"),
        click: () => open() }, sign("dots")) : null),
    state === "failed" ? failed(message) : null,
    isWhole ? reactions(id, message, isMine) : null);
}
