// The page begins: one person's application, or several devices side by side.

import { here, stage, begin, announce, personOf } from "./here.js";
import { speak, t } from "./words.js";
import { run, go } from "./frame.js";
import { beginNotifying } from "./notify.js";
import { showPanes } from "./panes.js";

const applications = {
  "film-network": () => import("../film/network.js"), "task-board": () => import("../board/board.js"),
  "air-quality": () => import("../air/stations.js"), "ski-resort": () => import("../resort/resort.js"),
  announcements: () => import("../notices/announcements.js"),
};

async function showApplication() {
  const [{ application }] = await Promise.all([applications[here.stage.app](), speak(personOf(here.user)?.locale ?? navigator.language)]);
  await begin({
    conflict: application.conflict,
    message: message => message.from !== here.user && announce(application.heard?.(message) ?? ""),
  });
  await application.begin?.();
  const opened = async ({ id, chat }) => {
    if (chat) return go("chats", chat);
    const one = here.inbox.find(one => one.id === id) ?? await here.ww.request({ type: "notification", notification: id }).catch(() => null);
    if (one && application.follow) application.follow(one);
    else go("inbox");
  };
  beginNotifying(opened);
  run(application);
}

try {
  here.stage = await stage();
  const { user, device } = here;
  document.querySelector("link[rel=icon]").href = `demo/icons/${here.stage.app}.svg`;
  // iOS takes no other icon for its screen of applications.
  document.head.append(Object.assign(document.createElement("link"), { rel: "apple-touch-icon", href: `demo/icons/${here.stage.app}.png` }));
  const manifest = Object.assign(document.createElement("link"),
    { rel: "manifest", href: `demo/manifest.json?${new URLSearchParams({ ...(user && { user }), ...(device && { device }) })}` });
  document.head.append(manifest);
  await (user ? showApplication() : showPanes(here.stage));
} catch (error) {
  // Nothing can be drawn: say so in the language of the browser, or in English.
  await speak(navigator.language).catch(() => {});
  document.getElementById("root").replaceChildren(Object.assign(document.createElement("p"),
    { className: "failedStart", textContent: t("startFailed") }));
  throw error;
}
