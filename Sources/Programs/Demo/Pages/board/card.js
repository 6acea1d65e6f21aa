// A card of the board, and the page on which it is changed.

import { h } from "../shell/dom.js";
import { here, doing } from "../shell/here.js";
import { t, ago } from "../shell/words.js";
import { go, to, pageTitle, emptyState, pendingMark } from "../shell/frame.js";
import { draggable, dragged } from "../shell/drag.js";
import { sign } from "../shell/drawn.js";
import { tasks, columns, categories, priorities, change, move, moveBy, setDone, drop } from "./board.js";

const named = (rows, id) => rows.find(row => row.id === id)?.name;
/** How far local times in a zone are from universal time at a moment, in milliseconds. */
function offset(zone, at) {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit",
    hour: "2-digit", minute: "2-digit", second: "2-digit" }).formatToParts(at);
  const of = type => Number(parts.find(part => part.type === type).value);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second")) - at.getTime();
}

/** The moment of a local time in a zone: tasks say when they are due by the clock of their owner. */
export function momentOf({ due, zone }) {
  if (!due) return null;
  if (/Z$|[+-]\d\d:\d\d$/.test(due)) return new Date(due);
  const near = new Date(`${due}Z`);
  try {
    return new Date(near.getTime() - offset(zone ?? "UTC", near));
  } catch {
    return near;
  }
}

const dueChip = task => {
  const at = momentOf(task);
  if (!at) return null;
  const isLate = !task.done && at < new Date();
  return h("span", { class: isLate ? "chip bad" : "chip faint" }, sign("clock"), h("span", { class: "unseen" }, t("board.due")), ago(at));
};

/** A card. The arrow keys with Alt move it; so do its buttons, and dragging it. */
export function drawCard(task, all) {
  const place = all.findIndex(column => column.id === task.column);
  const keydown = event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!event.altKey || !step) return;
    event.preventDefault();
    moveBy(task, step);
  };
  const category = named(categories(), task.category);
  return h("li", { class: "boardCard document", key: task.id, "data-dragged": dragged()?.id === task.id, "data-path": task.path, "data-version": task.version,
    "data-done": Boolean(task.done), keydown,
    ...draggable(task.id, "[data-column]", place => drop(task, place)) },
  h("div", { class: "cardTop" }, h("input", { type: "checkbox", checked: Boolean(task.done),
    "aria-label": t("board.doneTitle", { title: task.title }), change: event => setDone(task, event.target.checked) }),
    h("a", { class: "cardTitle grow", href: to("task", task.id), "aria-keyshortcuts": "Alt+ArrowLeft Alt+ArrowRight", draggable: "false" },
      task.title), pendingMark(task)),
  h("div", { class: "row" }, dueChip(task), category ? h("span", { class: "chip" }, category) : null,
    task.priority && task.priority !== "normal" ? h("span", { class: task.priority === "high" ? "chip warn" : "chip faint" },
    named(priorities(), task.priority) ?? task.priority) : null,
    (task.steps ?? []).length ? h("span", { class: "chip faint" }, sign("check"),
      `${task.steps.filter(step => step.done).length}/${task.steps.length}`) : null),
  h("div", { class: "cardMove" },
    h("button", { type: "button", class: "icon", disabled: place <= 0,
      "aria-label": t("board.moveTo", { title: task.title, column: all[place - 1]?.name ?? "" }), click: () => moveBy(task, -1) }, sign("back")),
    h("button", { type: "button", class: "icon next", disabled: place >= all.length - 1,
      "aria-label": t("board.moveTo", { title: task.title, column: all[place + 1]?.name ?? "" }), click: () => moveBy(task, 1) }, sign("back"))));
}

const choice = (label, id, rows, now, act) => h("label", { class: "field" }, h("span", {}, label),
  h("select", { id, change: event => act(event.target.value) }, h("option", { value: "", selected: !now }, "–"),
    rows.map(row => h("option", { value: row.id, selected: row.id === now }, row.name))));

function steps(task) {
  const set = list => change(task.id, { steps: list });
  const list = task.steps ?? [];
  return h("section", { class: "card", "aria-label": t("board.steps") }, h("h2", {}, t("board.steps")),
    h("ul", { class: "rows" }, list.map((step, place) => h("li", { key: place },
      h("label", { class: "check grow" }, h("input", { type: "checkbox", checked: Boolean(step.done),
      change: event => set(list.map((one, index) => index === place ? { ...one, done: event.target.checked } : one)) }), step.title),
      h("button", { type: "button", class: "icon", "aria-label": t("board.removeStep", { title: step.title }),
        click: () => set(list.filter((one, index) => index !== place)) }, sign("trash"))))),
    h("form", { class: "addCard", submit: event => {
      event.preventDefault();
      const title = event.target.title.value.trim();
      event.target.reset();
      if (title) set([...list, { title, done: false }]);
    } }, h("input", { name: "title", maxlength: 200, "aria-label": t("board.newStep"), placeholder: t("board.newStep") }),
      h("button", { class: "icon", "aria-label": t("board.add") }, sign("plus"))));
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The page of a task. */
export function drawEditor(id) {
  const task = tasks().find(one => one.id === id);
  if (!task) return h("div", { class: "narrow" }, pageTitle(t("board.gone")),
    emptyState(t("board.goneHint"), h("a", { class: "button", href: to("board") }, t("board"))));
  const field = (label, control) => h("label", { class: "field" }, h("span", {}, label), control);
  return h("div", { class: "narrow" }, pageTitle(task.title, pendingMark(task),
    h("a", { class: "button quiet framed", href: to("board") }, sign("back"), t("board"))),
    h("section", { class: "card", "aria-label": t("board.task") },
      field(t("board.title"), h("input", { id: "task-title", maxlength: 200, value: task.title,
        change: event => event.target.value.trim() && change(id, { title: event.target.value.trim() }) })),
      field(t("board.text"), h("textarea", { rows: 3, maxlength: 4000, value: task.description ?? "",
        change: event => change(id, { description: event.target.value.trim() || null }) })),
      field(t("board.due"), h("input", { type: "datetime-local", id: "task-due", value: (task.due ?? "").slice(0, 16),
        change: event => change(id, { due: event.target.value ? `${event.target.value}:00` : null, zone: task.zone ?? zone }) })),
      task.due ? h("p", { class: "hint" }, t("quietZone", { zone: task.zone ?? "UTC" })) : null,
      field(t("board.remind"), h("select", { change: event => change(id, { remindBefore: Number(event.target.value) }) },
        [...new Set([0, 1, 10, 60, 1440, task.remindBefore ?? 0])].sort((one, other) => one - other).map(n => h("option",
        { value: n, selected: n === (task.remindBefore ?? 0) }, n === 0 ? t("board.atTime") : t("board.minutes", { n }))))),
      choice(t("board.column"), "task-column", columns(), task.column,
        value => { const column = columns().find(one => one.id === value); if (column) move(task, column); }),
      choice(t("board.category"), "task-category", categories(), task.category, value => change(id, { category: value || null })),
      choice(t("board.priority"), "task-priority", priorities(), task.priority, value => change(id, { priority: value || null }))),
    steps(task),
    h("div", { class: "titleRow" }, h("button", { type: "button", class: task.done ? "quiet framed" : "primary",
      click: () => setDone(task, !task.done) }, sign("check"), t(task.done ? "board.again" : "board.done")),
      h("button", { type: "button", class: "quiet framed", click: () => { doing(here.ww.doc(task.path).remove()); go("board"); } }, sign("trash"),
        t("board.remove"))));
}
