// The people whom this user blocks: the server has the list.

import { h, changed } from "../shell/dom.js";
import { here, doing } from "../shell/here.js";
import { t } from "../shell/words.js";
import { avatar, nameOf, emptyState } from "../shell/frame.js";
import { sign } from "../shell/drawn.js";
import { openDialog } from "./dialogs.js";

let blocked = null;

async function read() {
  const found = new Set();
  for (let after; ;) {
    const { users, next } = await here.ww.request({ type: "blocks", limit: 200, ...(after && { after }) });
    for (const user of users) found.add(user);
    if (!next) break;
    after = next;
  }
  blocked = found;
  changed();
}

/** Begins to know them; blocking on one device is known on all. */
export function beginBlocks() {
  const live = () => here.state.name === "live" && read().catch(() => {});  // the next connection tries again
  here.ww.on("state", live);
  live();
  here.ww.on("blocked", ({ user }) => { blocked?.add(user); changed(); });
  here.ww.on("unblocked", ({ user }) => { blocked?.delete(user); changed(); });
}

/** Whether this user blocks somebody, with what waits. */
export function isBlocked(user) {
  const waits = here.outbox.findLast(({ command, state }) => ["block", "unblock"].includes(command.type) && command.user === user && state !== "failed");
  return waits ? waits.command.type === "block" : blocked?.has(user) ?? false;
}

/** Blocks somebody, after a question. */
export function askToBlock(user) {
  openDialog("block-dialog", t("blockAsk", { name: nameOf(user) }), [h("p", {}, t("blockHint", { name: nameOf(user) }))], t("block"),
    () => doing(here.ww.block(user)));
}

export const unblock = user => doing(here.ww.unblock(user));

/** The button of a person's page. */
export const blockButton = user => isBlocked(user)
  ? h("button", { type: "button", id: "unblock", class: "quiet framed", click: () => unblock(user) }, sign("check"), t("unblock"))
  : h("button", { type: "button", id: "block", class: "quiet framed", click: () => askToBlock(user) }, sign("block"), t("block"));

/** The list in the settings. */
export function blockedList() {
  const waiting = here.outbox.filter(({ command }) => command.type === "block").map(({ command }) => command.user);
  const users = [...new Set([...blocked ?? [], ...waiting])].filter(isBlocked);
  if (!users.length) return emptyState(t(blocked ? "blockedNone" : "blockedUnknown"));
  return h("ul", { class: "rows", id: "blocked" }, users.map(user => h("li", { key: user, "data-user": user }, avatar(user),
    h("span", { class: "grow" }, nameOf(user)),
    h("button", { type: "button", class: "quiet framed small", "aria-label": `${t("unblock")}: ${nameOf(user)}`, click: () => unblock(user) }, t("unblock")))));
}
