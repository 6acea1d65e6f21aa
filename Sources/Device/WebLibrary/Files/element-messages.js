import { h } from "./element-dom.js";
import { sign } from "./element-signs.js";
// One message of a chat: its text, what became of it, its reactions, and its menu.

const EMOJI = ["👍", "❤️", "😂", "😮", "😢"];
const STUCK = ["failed", "blocked", "uncertain"];

/** The name of a message among the others, in all its forms: one that was sent has the key of the one that waited. */
export const keyOf = ({ key, chat, n, from }, user) => from === user && key ? key : `${chat}/${n}`;

/** What became of a message: `received`, `waiting`, `failed`, `sent`, `delivered` or `read`. */
export function stateOf({ n, from, pending }, { ww, row }) {
  if (from !== ww.user) return "received";
  if (n === undefined) return STUCK.includes(pending) ? "failed" : "waiting";
  return n <= row?.peerRead ? "read" : n <= row?.delivered ? "delivered" : "sent";
}

/** Whether its author may still change it. */
export const isEditable = ({ n, from, text, product, deleted }, user) => Boolean(n && from === user && text && !product && !deleted);

/** What a message says in one line. */
export const lineOf = (element, { text, product, deleted }) => deleted ? element.t("deleted") : text ?? product?.title ?? "–";

const hasMine = ({ reactions }, emoji) => Boolean(reactions?.some(one => one.emoji === emoji && one.mine));

/** The items of a message's menu. */
export function menuOf(element, message) {
  const { ww, chat, row } = element;
  const { n, from } = message;
  const mayDelete = from === ww.user || ["owner", "moderator"].includes(row?.role);
  const remove = () => element.doing(chat.delete(n));
  return [
    EMOJI.map(emoji => ({ text: emoji, label: element.t("react", { emoji }), isOn: hasMine(message, emoji), act: () => element.doing(chat.react(n, emoji, !hasMine(message, emoji))) })),
    { label: element.t("reply"), act: () => element.answer(message) },
    isEditable(message, ww.user) && { label: element.t("edit"), act: () => element.edit(message) },
    mayDelete && { label: element.t("delete"), isDanger: true, asks: [{ label: element.t("deleteAsk"), isDanger: true, act: remove }] },
  ].filter(Boolean);
}

function reactions(element, message) {
  if (!message.reactions?.length) return null;
  return message.reactions.map(({ emoji, count, mine }) => h("button", { type: "button", class: "reaction", part: "reaction", key: emoji,
    "aria-pressed": String(mine), "aria-label": `${element.t("react", { emoji })}, ${count}`, click: () => element.doing(element.chat.react(message.n, emoji, !mine)) },
    count > 1 ? `${emoji} ${count}` : emoji));
}

function stuck(element, { key, error }) {
  return h("div", { class: "foot" }, h("span", {}, error ? element.whyNot(error) : ""),
    h("button", { type: "button", click: () => element.ww.outbox.retry(key) }, element.t("retry")),
    h("button", { type: "button", class: "danger", click: () => element.ww.outbox.discard(key) }, element.t("discard")));
}

/** A message as an item of the list. `answered` is the message that it replies to, as far as it is here. */
export function drawMessage(element, message, { state, isFirst, answered }) {
  const { n, from, at, text, product, deleted, editedAt } = message;
  const isMine = from === element.ww.user;
  const open = event => element.openMenu(event.currentTarget, element.t("messageMenu"), menuOf(element, message));
  const kind = `${isMine ? "mine" : "theirs"} ${state}`;
  return h("li", { class: `message ${kind}`, part: `message ${kind}`, key: keyOf(message, element.ww.user), "data-n": n },
    isFirst && element.isRoom && !isMine ? h("div", { class: "author", part: "author" }, h("bdi", {}, element.nameOf(from))) : null,
    answered ? h("div", { class: "quote", part: "quote" }, h("bdi", {}, lineOf(element, answered))) : null,
    product && !deleted ? h("div", { class: "product", part: "product" }, h("b", {}, h("bdi", {}, product.title ?? product.id)), product.year ? ` (${product.year})` : "") : null,
    text || deleted || !product ? h("div", { class: deleted ? "text gone" : "text", part: "text", dir: "auto" }, lineOf(element, { text, deleted })) : null,
    h("div", { class: "foot", part: "foot" },
      at ? h("time", { datetime: at }, element.say.moment(at)) : null, editedAt && !deleted ? h("span", {}, element.t("edited")) : null,
      isMine ? h("span", { part: "state" }, element.t(state)) : null,
      deleted ? null : reactions(element, message),
      n && !deleted ? h("button", { type: "button", class: "icon dotsButton", "aria-haspopup": "menu", "aria-label": element.t("messageMenu"), click: open }, sign("dots")) : null),
    state === "failed" ? stuck(element, message) : null);
}
