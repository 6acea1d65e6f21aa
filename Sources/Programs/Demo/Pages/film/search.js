// The search: people by their names, here; messages by their words, on the server.

import { h, changed } from "../shell/dom.js";
import { here, whyNot } from "../shell/here.js";
import { t, timeOf } from "../shell/words.js";
import { avatar, nameOf, emptyState, to } from "../shell/frame.js";
import { sign } from "../shell/drawn.js";
import { others } from "./data.js";
import { isRoom, pair, titleOf, pictureOf } from "./chat.js";

/** How long one has stopped to type before the server is asked. */
const PAUSE_MS = 250;
const PAGE = 20;
/** How much of a message stands before the first word that was found, in UTF-16 code units. */
const LEAD = 24;
const QUESTION_MAX = 100;

let question = "";
let found = null;
let asked;

/** Letters without marks and case, so that "zoe" finds "Zoë". */
const fold = text => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ł", "l");

async function ask(text, before) {
  const earlier = before ? found.messages : [];
  try {
    const { messages, next } = await here.ww.request({ type: "search", q: text, limit: PAGE, ...(before && { before }) });
    if (text === question) found = { messages: [...earlier, ...messages], next };
  } catch (error) {
    if (text === question) found = { messages: earlier, error };
  }
  changed();
}

function typed(event) {
  question = event.target.value.trim();
  found = null;
  clearTimeout(asked);
  if (question) asked = setTimeout(ask, PAUSE_MS, question);
  changed();
}

/** Ends the search. */
export function endSearch() {
  if (!question) return;
  question = "";
  found = null;
  clearTimeout(asked);
  document.getElementById("search").value = "";
  changed();
}

/** A search that failed is made again with the next connection. */
export function beginSearch() {
  here.ww.on("state", ({ name }) => name === "live" && question && found?.error && ask(question));
}

/** Whether somebody searches. */
export const isSearching = () => question !== "";

/** The field above the chats. */
export function searchField() {
  return h("form", { class: "search", role: "search", submit: event => event.preventDefault() }, sign("search"),
    h("input", { id: "search", type: "search", maxlength: QUESTION_MAX, "aria-label": t("searchLabel"), placeholder: t("search"), autocomplete: "off", dir: "auto",
      input: typed, keydown: event => event.key === "Escape" && endSearch() }));
}

/** A part of the text in which the words that were found are marked. */
function excerpt({ text = "", product, marks = [] }) {
  // The words may stand in the title of a film that is recommended.
  if (product && !marks.length) return [[product.title ?? product.id, text].filter(Boolean).join(" · ")];
  const begin = marks.length && marks[0][0] > LEAD ? marks[0][0] - LEAD : 0;
  const parts = [begin ? "…" : ""];
  let at = begin;
  for (const [start, length] of marks) {
    parts.push(text.slice(at, start), h("mark", {}, text.slice(start, start + length)));
    at = start + length;
  }
  return [...parts, text.slice(at)];
}

const messageRow = message => h("li", { key: `${message.chat}/${message.n}` },
  h("a", { class: "person found", href: to("chats", message.chat, String(message.n)), "data-found": message.n },
    pictureOf(message.chat), h("span", { class: "grow" },
      h("strong", {}, isRoom(message.chat) ? `${titleOf(message.chat)} · ${nameOf(message.from)}` : titleOf(message.chat)),
      h("small", { dir: "auto" }, message.from === here.user ? `${t("youSay")} ` : "", excerpt(message))), timeOf(message.at, h)));

const personRow = user => h("li", { key: user }, h("a", { class: "person", href: to("chats", pair(user)), "data-person": user }, avatar(user),
  h("span", { class: "grow" }, h("strong", {}, nameOf(user)))));

function messages() {
  if (!found) return h("p", { class: "hint searchHint" }, t("searching"));
  const { messages: rows, next, error } = found;
  return [
    rows.length ? h("ul", { class: "persons", id: "found-messages" }, rows.map(messageRow)) : null,
    error ? h("p", { class: "hint searchHint" }, ["retry", "closed"].includes(error.kind) ? t("searchOffline") : whyNot(error)) : null,
    next ? h("button", { type: "button", id: "search-more", class: "quiet small", click: () => ask(question, next) }, t("searchMore")) : null,
  ];
}

/** What was found, in place of the chats. */
export function drawFound() {
  const people = others().filter(user => fold(`${nameOf(user)} ${user}`).split(/[\s._-]+/).some(word => word.startsWith(fold(question))));
  const rooms = here.chats.filter(one => isRoom(one.chat) && fold(one.title ?? "").includes(fold(question)));
  const isNothing = found && !found.error && !found.messages.length && !people.length && !rooms.length;
  if (isNothing) return emptyState(t("searchNothing", { text: question }));
  return [
    people.length ? [h("h2", { class: "listTitle" }, t("people")), h("ul", { class: "persons", id: "found-people" }, people.map(personRow))] : null,
    rooms.length ? [h("h2", { class: "listTitle" }, t("groups")), h("ul", { class: "persons" }, rooms.map(({ chat }) => h("li", { key: chat },
      h("a", { class: "person", href: to("chats", chat) }, pictureOf(chat), h("span", { class: "grow" }, h("strong", {}, titleOf(chat)))))))] : null,
    found && !found.messages.length && !found.error ? null : [h("h2", { class: "listTitle" }, t("messages")), messages()],
  ];
}
