// The notifications of this computer, which the library has; and the worker that keeps the page for when there is no network.

import { here, say } from "./here.js";
import { changed } from "./dom.js";
import { t } from "./words.js";

let isBusy = false;

const address = path => new URL(path, location.href).href;

/** One subscription for each person and device that this browser shows: there are several of them here. */
function options() {
  const { user, device } = here;
  const scope = address(`v1/sdk/?${new URLSearchParams({ user, ...(device && { device }) })}`);
  return { scope, open: location.href.split("#")[0] };
}

/** How it stands: `isHidden` where there is nothing to switch. */
export function pushState() {
  const { state } = here.ww.push;
  return { isHidden: ["unsupported", "unavailable"].includes(state), isBusy, state };
}

/** Switches it: a browser asks for permission only in a click. */
export async function switchPush() {
  const { push } = here.ww;
  isBusy = true;
  changed();
  try {
    await (push.state === "on" ? push.disable() : push.enable(options()));
  } catch (error) {
    if (error.code !== "push-denied") say(t("push.failed"));
  }
  isBusy = false;
  changed();
}

/** After a new store the browser's subscription is still there: it becomes that of this device. */
async function takeOver() {
  const { push } = here.ww;
  if (push.state !== "off" || isBusy || Notification.permission !== "granted") return;
  const registration = (await navigator.serviceWorker.getRegistrations()).find(({ scope }) => scope === options().scope);
  if (await registration?.pushManager.getSubscription()) await push.enable(options());
}

/** Begins; `opened` takes the entry that a click on a notification was about. */
export function beginNotifying(opened) {
  here.ww.on("push", () => {
    changed();
    takeOver().catch(() => {});  // the next page tries again
  });
  takeOver().catch(() => {});
  here.ww.on("opened", opened);
  navigator.serviceWorker?.register("demo/worker.js", { scope: "demo", updateViaCache: "none" }).then(keepPage, () => {});
}

/** The worker keeps what this page was made of. */
async function keepPage(registration) {
  const parts = performance.getEntriesByType("resource").map(({ name }) => name.split("#")[0])
    .filter(name => name.startsWith(address("demo/")) || name.endsWith("/watchwise.js"))
    .filter(name => !name.includes("/session"));
  // The library loads its part for writes after the page is shown.
  const pages = ["demo", `demo?user=${encodeURIComponent(here.user)}`, "v1/sdk/watchwise-writes.js"].map(address);
  const worker = registration.installing ?? registration.waiting ?? registration.active;
  worker.postMessage({ keep: [...new Set([...pages, ...parts])] });
}
