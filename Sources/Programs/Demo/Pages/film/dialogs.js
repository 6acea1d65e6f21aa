// Dialogs: a film is recommended to somebody, and a review is written.

import { h } from "../shell/dom.js";
import { here, doing } from "../shell/here.js";
import { t } from "../shell/words.js";
import { nameOf, avatar } from "../shell/frame.js";
import { poster } from "../shell/drawn.js";
import { films, others, productOf, review, ratingOf } from "./data.js";

/** Opens a dialog of a form; `send` takes its data when it is sent. Without `send` there is only something to read. */
export function openDialog(id, title, rows, confirm, send) {
  const dialog = h("dialog", { id, "aria-labelledby": `${id}-title` },
    h("form", { method: "dialog", submit: event => event.submitter?.value === "send" && send(new FormData(event.target)) },
      h("h2", { id: `${id}-title` }, title), rows,
      h("div", { class: "dialogEnd" },
        h("button", { type: "button", id: `${id}-close`, class: "quiet", click: () => dialog.close() }, t(send ? "cancel" : "close")),
        send && h("button", { id: id === "films" ? "film-send" : `${id}-send`, class: "primary", value: "send", disabled: true }, confirm))));
  const form = dialog.querySelector("form");
  const check = () => { if (send) form.querySelector("[value=send]").disabled = !form.checkValidity(); };
  form.addEventListener("input", check);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  check();
  dialog.showModal();
  return dialog;
}

const note = () => h("label", { class: "field" }, h("span", {}, t("note")),
  h("input", { id: "film-note", name: "note", maxlength: 1000, autocomplete: "off" }));

const filmChoice = film => h("label", { class: "choice" }, h("input", { type: "radio", name: "film", value: film.id, required: true }),
  poster(film), h("span", {}, film.title, film.year ? h("small", {}, String(film.year)) : null));

function send(to, film, data) {
  const text = data.get("note").trim();
  doing(here.ww.chat({ with: to }).recommend(productOf(film), text ? { note: text } : {}));
}

/** A film for somebody. */
export function recommendTo(user) {
  openDialog("films", t("recommendTo", { name: nameOf(user) }),
    [h("fieldset", { id: "film-list", class: "choices" }, h("legend", { class: "unseen" }, t("films")), films().map(filmChoice)), note()],
      t("advise"),
    data => send(user, films().find(film => film.id === data.get("film")), data));
}

/** Somebody for a film. */
export function recommendFilm(film) {
  const known = others().filter(id => here.topics.has(`user:${id}`));
  openDialog("people-dialog", t("recommendFilm", { title: film.title }), [
    known.length ? h("fieldset", { class: "choices" }, h("legend", { class: "unseen" }, t("people")), known.map(id =>
      h("label", { class: "choice" }, h("input", { type: "radio", name: "user", value: id, required: true }), avatar(id), h("span", {}, nameOf(id)))))
      : h("p", {}, t("followFirst")),
    note()], t("advise"), data => send(data.get("user"), film, data));
}

/** Five stars to choose among, with halves by keyboard and pointer. */
export function starChoice(now) {
  return h("fieldset", { class: "starChoice" }, h("legend", {}, t("yourRating")),
    [1, 2, 3, 4, 5].flatMap(star => [star - 0.5, star]).map(value => h("label",
      { class: value % 1 ? "half" : "whole", title: t("outOf5", { n: value }) },
      h("input", { type: "radio", name: "rating", value: String(value), checked: now === value, required: true,
        "aria-label": t("outOf5", { n: value }) }), h("span", { "aria-hidden": "true" }, "★"))));
}

/** A review of a film; `film` may be left to choose. */
export function writeReview(film) {
  const now = film ? ratingOf(here.user, film.id) : null;
  openDialog("review-dialog", film ? t("reviewOf", { title: film.title }) : t("writeReview"), [
    film ? null : h("label", { class: "field" }, h("span", {}, t("film")),
      h("select", { name: "film", required: true }, h("option", { value: "" }, t("chooseFilm")),
        films().map(one => h("option", { value: one.id }, one.title)))),
    starChoice(now?.rating),
    h("label", { class: "field" }, h("span", {}, t("yourReview")), h("textarea", { name: "text", rows: 4, maxlength: 2000, required: true })),
  ], t("publish"), data => review(film ?? films().find(one => one.id === data.get("film")), Number(data.get("rating")), data.get("text").trim()));
}

/** The film was watched: how was it? */
export function watchedIt(film, rate) {
  openDialog("watched-dialog", t("howWas", { title: film.title }), [starChoice(ratingOf(here.user, film.id)?.rating)], t("save"),
    data => rate(film, Number(data.get("rating"))));
}
