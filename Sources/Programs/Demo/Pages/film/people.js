// People, directors and series, with follow buttons; the pages of a user, of somebody of the cinema, and of a film.

import { h } from "../shell/dom.js";
import { here, follow, doing, collection, emptyWord } from "../shell/here.js";
import { t, number } from "../shell/words.js";
import { avatar, nameOf, pageTitle, emptyState, to, followButton } from "../shell/frame.js";
import { poster, stars, sign, face } from "../shell/drawn.js";
import { others, cinema, series, films, filmOf, profileOf, reviews, meanOf } from "./data.js";
import { reviewCard, filmActions } from "./home.js";
import { recommendTo, writeReview } from "./dialogs.js";
import { pair } from "./chat.js";
import { blockButton } from "./blocks.js";

const group = (title, rows, path) => h("section", { class: "card", "aria-label": title }, h("h2", {}, title),
  rows.length ? h("ul", { class: "rows" }, rows) : emptyState(t(emptyWord(path))));

function userRow(id) {
  return h("li", { key: id }, avatar(id), h("span", { class: "grow" }, h("a", { href: to("user", id) }, nameOf(id)),
    profileOf(id)?.about ? h("small", {}, profileOf(id).about) : null),
    h("a", { class: "icon", href: to("chats", pair(id)), "aria-label": t("writeToName", { name: nameOf(id) }) }, sign("chat")),
      followButton(`user:${id}`, nameOf(id), follow));
}

function cinemaRow({ id, name }) {
  const made = films().filter(film => film.director === name);
  return h("li", { key: id }, h("span", { class: "avatar kindSign" }, sign("film")),
    h("span", { class: "grow" }, h("a", { href: to("person", id) }, name), h("small", {}, made.map(film => film.title).join(", "))),
    followButton(`person:${id}`, name, follow));
}

function seriesRow({ id, title, seasons, nextSeason, nextAirDate }) {
  return h("li", { key: id }, h("span", { class: "smallPoster" }, poster({ id: `series/${id}`, title })),
    h("span", { class: "grow" }, h("span", {}, title),
    h("small", {}, t("seasons", { n: Number(seasons) || 0 }),
      nextAirDate ? ` · ${t("nextSeason", { season: number(nextSeason), date: new Date(nextAirDate).toLocaleDateString(document.documentElement.lang, { day: "numeric", month: "long" }) })}` : "")),
  followButton(`series:${id}`, title, follow));
}

/** Everybody and everything that one may follow. */
export function drawPeople() {
  return h("div", { class: "narrow" }, pageTitle(t("people")), group(t("people"), others().map(userRow), "users"),
    group(t("directors"), cinema().map(cinemaRow), "people"), group(t("series"), series().map(seriesRow), "series"));
}

function editProfile() {
  const profile = profileOf(here.user) ?? {};
  const change = data => doing(here.ww.doc(`users/${here.user}`).patch(data));
  return h("section", { class: "card", "aria-label": t("yourProfile") }, h("h2", {}, t("yourProfile")),
    h("label", { class: "field" }, h("span", {}, t("about")),
      h("input", { id: "about-me", maxlength: 140, value: profile.about ?? "",
      change: event => change({ about: event.target.value.trim() || null }) })),
    h("fieldset", { class: "faces" }, h("legend", {}, t("picture")),
      [0, 1, 2, 3, 4, 5].map(picture => h("label", { key: picture },
      h("input", { type: "radio", name: "picture", checked: (profile.picture ?? 0) === picture, "aria-label": t("pictureN", { n: picture + 1 }),
      change: () => change({ picture }) }), face(here.user, picture)))));
}

/** A user's page. */
export function drawUser([, id]) {
  const profile = profileOf(id);
  const own = reviews().filter(one => one.author === id);
  return h("div", { class: "narrow" },
    h("div", { class: "hero" }, avatar(id, { class: "avatar big" }),
      h("div", { class: "grow" }, pageTitle(nameOf(id)), h("p", {}, profile?.about ?? ""),
      id === here.user ? null : h("div", { class: "row" }, followButton(`user:${id}`, nameOf(id), follow),
        h("a", { class: "button quiet framed", href: to("chats", pair(id)) }, sign("chat"), t("write")),
        h("button", { type: "button", class: "quiet framed", click: () => recommendTo(id) }, sign("film"), t("recommend")), blockButton(id)))),
    id === here.user ? editProfile() : null,
    h("h2", {}, t("reviews")), own.length ? h("div", { class: "feed" }, own.map(reviewCard)) : emptyState(t("noReviews"),
      id === here.user ? h("button", { type: "button", class: "primary", click: () => writeReview(null) }, t("writeReview")) : null));
}

const filmTile = film => h("li", { key: film.id }, h("a", { class: "tile", href: to("film", film.id) }, poster(film), h("span", {}, film.title)));

/** The page of a director or actor. */
export function drawCinema([, id]) {
  const { name } = cinema().find(one => one.id === id) ?? { name: id };
  const credits = collection(`people/${id}/credits`).map(({ path, data }) => ({ id: path.split("/").slice(3).join("/"), ...data }));
  return h("div", { class: "narrow" },
    h("div", { class: "hero" }, h("span", { class: "avatar big kindSign" }, sign("film")),
      h("div", { class: "grow" }, pageTitle(name), h("p", {}, t("directorHint")),
      h("div", { class: "row" }, followButton(`person:${id}`, name, follow)))),
    h("h2", {}, t("films")), credits.length ? h("ul", { class: "tiles" }, credits.map(filmTile)) : emptyState(t(emptyWord(`people/${id}/credits`))));
}

/** The page of a film. */
export function drawFilm([, id]) {
  const film = filmOf(id);
  const mean = meanOf(id);
  const director = cinema().find(one => one.name === film.director);
  const all = reviews().filter(one => one.product?.id === id);
  return h("div", { class: "narrow" },
    h("div", { class: "hero" }, h("div", { class: "bigPoster" }, poster(film)), h("div", { class: "grow" }, pageTitle(film.title),
      h("p", {}, film.year ? String(film.year) : "", film.director ? [" · ", t("directedBy"), " ",
        director ? h("a", { href: to("person", director.id) }, director.name) : film.director] : null),
      mean ? h("p", {}, stars(mean.mean, t("outOf5", { n: mean.mean })), " ", h("small", {}, t("ratings", { n: mean.n }))) : null,
      filmActions(film),
      director ? h("div", { class: "row" }, followButton(`person:${director.id}`, director.name, follow, { isAlone: true })) : null)),
    h("div", { class: "titleRow" }, h("h2", {}, t("reviews")),
      h("button", { type: "button", class: "quiet", click: () => writeReview(film) }, sign("pen"), t("writeReview"))),
    all.length ? h("div", { class: "feed" }, all.map(reviewCard)) : emptyState(t("noReviews")));
}

/** All films. */
export function drawFilms() {
  return h("div", {}, pageTitle(t("films")), h("ul", { class: "tiles" }, films().map(filmTile)));
}
