// The notifications of this computer: their subscription, which is registered for this device, and what a click on one
// leads to. In one browser each person of the demo has a registration of the worker, and so a subscription.

import { here, say } from "./here.js";
import { changed } from "./dom.js";
import { t } from "./words.js";

const home = () => new URL(`demo?user=${encodeURIComponent(here.user)}`, location.href).href;
const isPossible = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
let key = null;
let isOn = false;
let isBusy = false;

/** The browser may wait for its push service for ever. */
const bounded = (promise, seconds) => Promise.race([promise, new Promise((_, reject) => setTimeout(reject, seconds * 1000, new Error("late")))]);
const registered = async () => isPossible ? (await navigator.serviceWorker.getRegistrations()).find(({ scope }) => scope === home()) : undefined;
const decoded = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));
const isOurs = ({ options }) => key !== null && String(new Uint8Array(options.applicationServerKey ?? [])) === String(decoded(key));

async function subscribe(registration) {
  const earlier = await registration.pushManager.getSubscription();
  if (earlier && isOurs(earlier)) return earlier;
  // A subscription is for one key: a new server has another.
  await earlier?.unsubscribe();
  return bounded(registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: decoded(key) }), 15);
}

async function register(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  await here.ww.request({ type: "device", platform: "webpush", subscription: { endpoint, keys }, open: home() });
  isOn = true;
}

async function active({ installing, waiting, active }) {
  const worker = installing ?? waiting ?? active;
  while (worker.state !== "activated") {
    if (worker.state === "redundant") throw new Error("the browser has ended the new worker");
    await new Promise(done => worker.addEventListener("statechange", done, { once: true }));
  }
}

async function begin() {
  if (await Notification.requestPermission() !== "granted") return;
  const registration = await navigator.serviceWorker.register("demo/worker.js", { scope: home(), updateViaCache: "none" });
  try {
    await bounded(active(registration), 15);
  } catch (error) {
    await registration.unregister();  // the next click makes another
    throw error;
  }
  await register(await subscribe(registration));
}

async function end() {
  const registration = await registered();
  isOn = false;
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
  await here.ww.request({ type: "device", remove: true });
}

/** The subscription belongs to this device: after a new store it is another one, which takes it over. */
async function renew() {
  const registration = await registered();
  if (!registration || Notification.permission !== "granted") return;
  if (await registration.pushManager.getSubscription()) await register(await subscribe(registration));
}

/** How it stands: `hidden` where there is nothing to switch. */
export function pushState() {
  const isBlocked = isPossible && Notification.permission === "denied";
  return { isHidden: !isPossible || key === null, isBusy, state: isBlocked ? "blocked" : isOn ? "on" : "off" };
}

/** Switches it: a browser asks for permission only in a click. */
export async function switchPush() {
  isBusy = true;
  changed();
  try { await (isOn ? end : begin)(); } catch { say(t("push.failed")); }
  isBusy = false;
  changed();
}

/** The place that a click on a notification leads to. */
function follow(hash, opened) {
  const place = new URLSearchParams(hash.slice(1));
  if (!place.has("ww")) return false;
  history.replaceState(null, "", location.pathname + location.search);
  opened(place.get("ww"), place.get("chat"));
  return true;
}

/** Closes the computer's notifications that are not wanted any more. */
async function closeOver() {
  const registration = await registered();
  const shown = await registration?.getNotifications?.() ?? [];
  if (!shown.length || here.state.name !== "live") return;
  // The server is asked: the list on this page may be a moment older than the push.
  const { notifications } = await here.ww.inbox.list({ limit: 200, unread: true });
  const isOver = ({ id, chat, n }) => chat && n ? (here.chats.find(one => one.chat === chat)?.read ?? 0) >= n
    : id && !notifications.some(one => one.id === id);
  for (const one of shown) if (isOver(one.data ?? {})) one.close();
}

/** Begins: registers the worker that keeps the page for when there is no network, and looks after the subscription. */
export function beginNotifying(opened) {
  const isLed = follow(location.hash, opened);
  if (!("serviceWorker" in navigator)) return isLed;
  navigator.serviceWorker.register("demo/worker.js", { scope: "demo", updateViaCache: "none" }).then(keepPage, () => {});
  navigator.serviceWorker.addEventListener("message", ({ data }) => data?.opened && follow(data.opened, opened));
  const live = async () => {
    if (here.state.name !== "live") return;
    key ??= await fetch("v1/push/key").then(answer => answer.ok ? answer.json() : {}).then(keys => keys.webpush ?? null, () => null);
    if (key !== null) await renew().catch(() => {});  // the next connection tries again
    changed();
  };
  here.ww.on("state", live);
  live();
  // Events come in bursts, and what they say is in the lists a moment later.
  let planned;
  here.ww.on("*", event => {
    if (!event?.seq && event?.name !== "live") return;
    clearTimeout(planned);
    planned = setTimeout(() => closeOver().catch(() => {}), 300);
  });
  return isLed;
}

/** The worker keeps what this page was made of: it says so when it has loaded everything. */
async function keepPage(registration) {
  await active(registration);
  const parts = performance.getEntriesByType("resource").map(({ name }) => name.split("#")[0])
    .filter(name => name.startsWith(new URL("demo/", location.href).href) || name.endsWith("/watchwise.js"))
    .filter(name => !name.includes("/session"));
  const pages = ["demo", `demo?user=${encodeURIComponent(here.user)}`].map(path => new URL(path, location.href).href);
  registration.active.postMessage({ keep: [...new Set([...pages, ...parts])] });
}
