// The feed: recommendations received, reviews by those one follows, and releases. It grows from the inbox and from
// reviews, and interrupts nobody.

import { h } from "../shell/dom.js";
import { here, follow } from "../shell/here.js";
import { t, timeOf } from "../shell/words.js";
import { avatar, nameOf, pageTitle, emptyState, to, followButton, pendingMark } from "../shell/frame.js";
import { poster, stars, sign } from "../shell/drawn.js";
import { filmOf, reviews, ratingOf, others, cinema, rate } from "./data.js";
import { pair } from "./chat.js";
import { recommendFilm, writeReview, watchedIt } from "./dialogs.js";

/** A link to a user or film. */
export const person = id => h("a", { href: to("user", id) }, nameOf(id));
export const filmLink = film => h("a", { href: to("film", film.id) }, film.title);

/** The buttons of a film wherever it stands. */
export function filmActions(film) {
  const own = ratingOf(here.user, film.id);
  return h("div", { class: "row" },
    own ? h("span", { class: "chip good" }, sign("check"), t("youWatched"), own.rating ? stars(own.rating, t("outOf5", { n: own.rating })) : null,
      pendingMark(own))
      : h("button", { type: "button", class: "quiet framed small", click: () => watchedIt(film, rate) }, sign("eye"), t("iWatched")),
    h("button", { type: "button", class: "quiet framed small", click: () => recommendFilm(film) }, sign("send"), t("advise")));
}

function card(key, kind, film, head, ...more) {
  return h("article", { class: "card feedItem", key, "data-kind": kind },
    h("a", { class: "posterLink", href: to("film", film.id), tabindex: "-1", "aria-hidden": "true" }, poster(film)),
    h("div", { class: "grow" }, head, more, filmActions(film)));
}

/** A review as a card. */
export function reviewCard(one) {
  const film = filmOf(one.product?.id ?? "", one.product);
  return card(one.path, "review", film,
    h("header", {}, avatar(one.author), h("p", {}, h("span", { class: "who" }, person(one.author)), " ", t("reviewed"), " ",
      h("strong", {}, filmLink(film)), pendingMark(one)), timeOf(one.at, h)),
    one.rating ? stars(one.rating, t("outOf5", { n: one.rating })) : null, h("p", { class: "quote" }, one.text));
}

function noteCard(one) {
  const { data } = one;
  const film = filmOf(data.product ?? data.series ?? one.id, data.series ? { title: one.title } : {});
  if (one.kind === "recommendation") {
    return card(one.id, one.kind, film,
      h("header", {}, avatar(data.from), h("p", {}, h("span", { class: "who" }, person(data.from)), " ", t("recommendsYou"), " ",
        h("strong", {}, filmLink(film))), timeOf(one.at, h)),
      one.body ? h("p", { class: "quote" }, one.body) : null,
        h("p", {}, h("a", { class: "more", href: to("chats", pair(data.from)) }, sign("chat"), t("answer"))));
  }
  return card(one.id, one.kind, film, h("header", {}, h("span", { class: "avatar kindSign" }, sign("film")), h("p", {}, h("strong", {}, one.title)),
    timeOf(one.at, h)), one.body ? h("p", {}, one.body) : null);
}

function feed() {
  const kinds = ["recommendation", "release", "credit", "season"];
  const followed = new Set([here.user, ...others().filter(id => here.topics.has(`user:${id}`))]);
  const written = reviews().filter(one => followed.has(one.author)).map(one => ({ at: one.at ?? "", draw: () => reviewCard(one) }));
  const told = here.inbox.filter(one => kinds.includes(one.kind)).map(one => ({ at: one.at, draw: () => noteCard(one) }));
  return [...written, ...told].sort((one, other) => other.at.localeCompare(one.at)).slice(0, 40);
}

/** Those whom one does not follow yet. */
function suggestions() {
  const people = others().filter(id => !here.topics.has(`user:${id}`)).slice(0, 3);
  const directors = cinema().filter(({ id }) => !here.topics.has(`person:${id}`)).slice(0, 5 - people.length);
  if (!people.length && !directors.length) return null;
  return h("aside", { class: "aside", "aria-label": t("suggestions") },
    h("section", { class: "card" }, h("h2", {}, t("suggestions")), h("ul", { class: "rows" },
    people.map(id => h("li", { key: id }, avatar(id), h("span", { class: "grow" }, person(id)), followButton(`user:${id}`, nameOf(id), follow))),
    directors.map(({ id, name }) => h("li", { key: id }, h("span", { class: "avatar kindSign" }, sign("film")),
      h("a", { class: "grow", href: to("person", id) }, name), followButton(`person:${id}`, name, follow))))));
}

/** The page. */
export function drawHome() {
  const rows = feed();
  return h("div", { class: "withAside" }, h("div", { class: "narrow" },
    pageTitle(t("home")),
    h("div", { class: "card invite" }, avatar(here.user), h("p", { class: "grow" }, t("inviteReview")),
      h("button", { type: "button", id: "write-review", class: "primary", click: () => writeReview(null) }, sign("pen"), t("writeReview"))),
    rows.length ? h("div", { class: "feed" }, rows.map(row => row.draw())) : emptyState(t("feedEmpty"),
      h("a", { class: "button", href: to("people") }, t("findPeople")))),
  suggestions());
}
