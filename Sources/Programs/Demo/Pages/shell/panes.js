// Several devices side by side, when the address names nobody: a change on one arrives on the others.

import { h, place, drawWith, changed } from "./dom.js";
import { t, speak } from "./words.js";
import { sign } from "./drawn.js";

let shown = 0;
const signs = { "film-network": "film", "task-board": "board", "air-quality": "air", "ski-resort": "snow", announcements: "notice" };

/** Shows the devices of a stage. On a phone there is room for one, and a row of buttons chooses it. */
export async function showPanes(stage) {
  await speak(navigator.language);
  document.title = stage.title;
  document.documentElement.dataset.app = stage.app;
  const nameOf = id => stage.people.find(person => person.id === id)?.name ?? id;
  const panes = stage.panes.map(({ user, device }) => ({
    title: device ? `${nameOf(user)} · ${t(`device.${device}`)}` : nameOf(user),
      address: `demo?${new URLSearchParams({ user, ...(device && { device }) })}`,
  }));
  const names = new Intl.ListFormat(document.documentElement.lang,
    { type: "conjunction" }).format([...new Set(stage.panes.map(({ user }) => nameOf(user)))]);
  const frames = panes.map(({ title, address }) => h("iframe", { src: address + (stage.app === "film-network" ? "#chats" : ""), title, keep: true }));
  drawWith(() => place(document.getElementById("root"), h("main", { id: "panes", "data-shown": shown },
    h("header", { id: "about" }, h("h1", {}, h("span", { class: "logo" }, sign(signs[stage.app] ?? "film")), stage.title),
      h("p", {}, t(`about.${stage.app}`, { names }), " ",
      t(`try.${stage.app}`, { first: nameOf(stage.panes[0].user), last: nameOf(stage.panes.at(-1).user) }))),
    h("div", { class: "paneTabs", role: "group", "aria-label": t("devices") }, panes.map(({ title }, place) =>
      h("button", { type: "button", "aria-pressed": place === shown ? "true" : "false", click: () => { shown = place; changed(); } }, title))),
    h("div", { class: "paneRow" }, panes.map(({ title, address }, place) =>
      h("section", { class: "pane", key: title, "aria-label": title, "data-shown": place === shown },
        h("a", { href: address, target: "_blank" }, `${title} ↗`), frames[place]))))));
}
