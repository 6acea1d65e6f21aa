// A document was changed here and on another device: the person sees both, and decides.

import { h } from "./dom.js";
import { t, has } from "./words.js";

const isSame = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The members that this write sets: those of a patch, or all. */
function members({ type, data }, current) {
  return type === "patch" ? Object.keys(data) : [...new Set([...Object.keys(data ?? {}), ...Object.keys(current ?? {})])];
}

function shown(value) {
  if (value === undefined || value === null || value === "") return t("conflict.nothing");
  if (typeof value === "boolean") return t(value ? "yes" : "no");
  if (Array.isArray(value)) return value.map(one => one?.title ?? one).join(", ") || t("conflict.nothing");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** `{field, mine, theirs}` of each member in which the two differ; the whole document where one has deleted it. */
function differences({ mine, current, path }, describe) {
  if (mine.type === "remove") return [{ field: t("conflict.whole"), mine: t("conflict.removed"), theirs: t("conflict.changed") }];
  if (current.data === null) return [{ field: t("conflict.whole"), mine: t("conflict.changed"), theirs: t("conflict.removed") }];
  const label = name => has(describe?.label?.(name) ?? "") ? t(describe.label(name)) : name;
  const say = (name, value) => shown(describe?.value?.(name, value, path) ?? value);
  return members(mine, current.data).filter(name => !isSame(mine.data[name], current.data[name]))
    .map(name => ({ field: label(name), mine: say(name, mine.data[name]), theirs: say(name, current.data[name]) }));
}

/** Whether a patch changes only what the other device left as it was: then both win, and nobody is asked. */
const isMergeable = ({ mine, base, current }) => mine.type === "patch" && base?.data && current.data
  && Object.keys(mine.data).every(name => isSame(base.data[name], current.data[name]));

function ask(conflict, describe) {
  const rows = differences(conflict, describe);
  if (!rows.length) return "theirs";  // both wrote the same
  const name = conflict.current.data?.title ?? conflict.current.data?.name ?? conflict.mine.data?.title ?? conflict.path.split("/").at(-1);
  return new Promise(resolve => {
    const choose = choice => () => {
      dialog.close();
      dialog.remove();
      resolve(choice);
    };
    const cell = text => h("td", { dir: "auto" }, text);
    const dialog = h("dialog", { id: "conflict", "aria-labelledby": "conflict-title", cancel: event => event.preventDefault() },
      h("h2", { id: "conflict-title" }, t("conflict.title")), h("p", {}, t("conflict.about", { name })),
      h("table", { class: "versions" },
        h("thead", {}, h("tr", {}, ["field", "mine", "theirs"].map(column => h("th", { scope: "col" }, t(`conflict.${column}`))))),
        h("tbody", {}, rows.map(row => h("tr", {}, h("th", { scope: "row" }, row.field), cell(row.mine), cell(row.theirs))))),
      h("div", { class: "dialogEnd" },
        h("button", { type: "button", id: "take-theirs", class: "quiet framed", click: choose("theirs") }, t("conflict.takeTheirs")),
        h("button", { type: "button", id: "keep-mine", class: "primary", click: choose("mine") }, t("conflict.keepMine"))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

let before = Promise.resolve();

/**
 * Decides about a conflict of the library, one after the other. `describe` says how an application names a member
 * (`label`, the key of a word) and shows its value (`value`).
 */
export function decide(conflict, describe) {
  if (isMergeable(conflict)) return "mine";
  const answer = before.then(() => ask(conflict, describe));
  before = answer.then(() => {}, () => {});
  return answer;
}
