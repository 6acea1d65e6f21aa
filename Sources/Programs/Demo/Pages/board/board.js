// The task board: columns of cards, the same on all devices of a person. A card is moved by mouse, finger or keyboard.

import { h } from "../shell/dom.js";
import { here, collection, emptyWord, doing, announce } from "../shell/here.js";
import { t, moment } from "../shell/words.js";
import { go, pageTitle, emptyState } from "../shell/frame.js";
import { inboxColumn } from "../shell/inbox.js";
import { dragged } from "../shell/drag.js";
import { sign } from "../shell/drawn.js";
import { drawCard, drawEditor } from "./card.js";

const own = name => `users/${here.user}/${name}`;
const idOf = ({ path }) => path.slice(path.lastIndexOf("/") + 1);
const ordered = rows => rows.map(item => ({ id: idOf(item), ...item.data, pending: item.pending })).sort((one,
  other) => (one.order ?? 0) - (other.order ?? 0));

export const columns = () => ordered(collection(own("columns")));
export const categories = () => ordered(collection(own("categories")));
export const priorities = () => ordered(collection(own("priorities")));
export const tasks = () => collection(own("tasks")).map(item => ({ id: idOf(item), path: item.path, version: item.version, pending: item.pending,
  ...item.data }));

/** The column of a task; a task of a column that is gone stands in the first. */
const columnOf = (task, all) => all.some(column => column.id === task.column) ? task.column : all[0]?.id;

const inColumn = (column, all) => tasks().filter(task => columnOf(task, all) === column.id)
  .sort((one, other) => (one.order ?? 0) - (other.order ?? 0) || (one.due ?? "9").localeCompare(other.due ?? "9") || one.title.localeCompare(other.title));

/** Changes a task. Only the fields that change are sent, so two devices that change different ones both win. */
export const change = (id, fields) => doing(here.ww.doc(`${own("tasks")}/${id}`).patch(fields));

/** Moves a task to a column; the last one is for what is done. */
export function move(task, column) {
  change(task.id, { column: column.id, done: Boolean(column.done) });
  announce(t("board.moved", { title: task.title, column: column.name }));
}

let moved = null;

/** Moves it by `step` columns. The focus goes with it. */
export function moveBy(task, step) {
  const all = columns();
  const place = all.findIndex(column => column.id === columnOf(task, all)) + step;
  if (place < 0 || place >= all.length) return;
  moved = { id: task.id, column: all[place].id };
  move(task, all[place]);
}

/** After drawing: the card that was moved is in its new column, and has the focus again. */
function focusMoved() {
  if (!moved) return;
  const title = document.querySelector(`[data-column="${CSS.escape(moved.column)}"] [data-path$="/${CSS.escape(moved.id)}"] .cardTitle`);
  if (!title) return;
  moved = null;
  title.focus();
}

/** Ticks a task off, or takes it up again. */
export function setDone(task, done) {
  const all = columns();
  const column = done ? all.find(one => one.done) : all.find(one => !one.done);
  change(task.id, { done, ...(column && { column: column.id }) });
}

function add(event, column) {
  event.preventDefault();
  const title = event.target.title.value.trim();
  if (!title) return;
  event.target.reset();
  const id = `t${Date.now().toString(36)}${Math.floor(Math.random() * 1296).toString(36)}`;
  doing(here.ww.doc(`${own("tasks")}/${id}`).put({ title, column: column.id, done: Boolean(column.done), version: 1, order: tasks().length }));
}

/** Where a dragged card was dropped: its task goes to that column. */
export function drop(task, place) {
  const all = columns();
  const column = all.find(({ id }) => id === place.dataset.column);
  if (column && columnOf(task, all) !== column.id) move(task, column);
}

function drawColumn(column, all) {
  const cards = inColumn(column, all);
  return h("section", { class: "boardColumn", key: column.id, "data-column": column.id, "data-over": dragged()?.over?.dataset.column === column.id, "aria-label": column.name },
  h("header", { class: "columnHead" }, h("h2", {}, column.name), h("span", { class: "chip faint" }, String(cards.length))),
  h("ul", { class: "boardCards" }, cards.map(task => drawCard(task, all))),
  cards.length ? null : h("p", { class: "hint" }, t("board.columnEmpty")),
  column.done ? null : h("form", { class: "addCard", submit: event => add(event, column) },
    h("input", { name: "title", maxlength: 200, "aria-label": t("board.newIn", { column: column.name }), placeholder: t("board.new") }),
    h("button", { class: "icon", "aria-label": t("board.add") }, sign("plus"))));
}

function newColumn() {
  const submit = event => {
    event.preventDefault();
    const name = event.target.title.value.trim();
    if (!name) return;
    event.target.reset();
    doing(here.ww.doc(`${own("columns")}/c${Date.now().toString(36)}`).put({ name, order: columns().length }));
  };
  return h("form", { class: "addColumn", submit }, h("input",
    { name: "title", maxlength: 60, "aria-label": t("board.newColumn"), placeholder: t("board.newColumn") }),
    h("button", { class: "icon", "aria-label": t("board.addColumn") }, sign("plus")));
}

function drawBoard() {
  const all = columns();
  return h("div", { class: "boardPage" },
    h("div", { class: "boardMain" }, pageTitle(t("board"), newColumn()),
      h("p", { class: "hint boardHint" }, t("board.hint")),
      all.length ? h("div", { class: "board", "data-dragging": Boolean(dragged()) },
        all.map(column => drawColumn(column, all))) : emptyState(t(emptyWord(own("columns"), "board.empty")))),
    inboxColumn(application));
}

export const application = {
  sign: "board", first: "board", kinds: ["reminder"],
  tabs: () => [{ id: "board", sign: "board", label: t("board") }],
  begin() {
    for (const name of ["tasks", "columns", "categories", "priorities"]) collection(own(name));
  },
  draw: ([page, id]) => page === "task" ? drawEditor(id) : drawBoard(),
  drawn: focusMoved,
  /** How a conflict names the members of a task, and shows what they say. */
  conflict: {
    label: name => ({ description: "board.text", remindBefore: "board.remind" })[name] ?? `board.${name}`,
    value: (name, value) => {
      const rows = { column: columns, category: categories, priority: priorities }[name]?.();
      return rows?.find(({ id }) => id === value)?.name ?? (name === "due" && value ? moment(value) : value);
    },
  },
  follow: ({ data }) => data?.task ? go("task", data.task) : go("inbox"),
};
