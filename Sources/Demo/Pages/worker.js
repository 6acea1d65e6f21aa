"use strict";
// The demo's service worker. It keeps the page for when there is no network; it shows pushes when no page is open, and
// opens the page on a click. It never fails on a push that it does not understand, and shows something for every push: a
// browser ends the subscription of a page whose pushes it does not see.

// ---- The page without a network --------------------------------------------------------------------------------

const SHELF = "watchwise-demo";
const PATIENCE_MS = 4000;

/** What is kept: the page, its parts and the library; never a token, and nothing of the API. */
function isKept(request) {
  const { origin, pathname } = new URL(request.url);
  const home = new URL("../", location.href).pathname;
  if (request.method !== "GET" || origin !== location.origin || !pathname.startsWith(home)) return false;
  const path = pathname.slice(home.length);
  return path === "demo" || path === "v1/sdk/watchwise.js" || path.startsWith("demo/") && path !== "demo/session";
}

/** One page serves all people: what differs between them comes later. */
const kept = request => caches.match(request, { ignoreSearch: new URL(request.url).pathname.endsWith("/demo") });

/** The server's answer, as long as there is one in time; else what was kept. */
async function answer(request) {
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE_MS, new Error("late")));
  try {
    const found = await Promise.race([fetch(request), late]);
    if (found.ok) (await caches.open(SHELF)).put(request, found.clone()).catch(() => {});
    if (found.status < 500) return found;
    return await kept(request) ?? found;
  } catch {
    return await kept(request) ?? Response.error();
  }
}

addEventListener("fetch", event => {
  if (isKept(event.request)) event.respondWith(answer(event.request));
});

/** A page says what it was made of: the first time, it was loaded before this worker was there. */
addEventListener("message", event => {
  if (!Array.isArray(event.data?.keep)) return;
  const keep = async () => {
    const shelf = await caches.open(SHELF);
    const wanted = event.data.keep.map(url => new Request(url)).filter(isKept);
    await Promise.allSettled(wanted.map(async request => {
      const found = await fetch(request);
      if (found.ok) await shelf.put(request, found);
    }));
  };
  event.waitUntil(keep());
});

// ---- Pushes ----------------------------------------------------------------------------------------------------

const generic = {
  en: ["New notification", "This notification has expired."], it: ["Nuova notifica", "Questa notifica è scaduta."],
  de: ["Neue Mitteilung", "Diese Mitteilung ist abgelaufen."],
  pl: ["Nowe powiadomienie", "To powiadomienie wygasło."], el: ["Νέα ειδοποίηση", "Αυτή η ειδοποίηση έληξε."],
};
const text = value => typeof value === "string" && value ? value : undefined;

/** What the server sent; null for what is not JSON, as another sender or another time may have it. */
function content(event) {
  try {
    const value = event.data?.json();
    return value && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

/** The notification of a push: a title, and the options of `showNotification`. */
function drawn(push, proposed) {
  const ww = push?.ww && typeof push.ww === "object" ? push.ww : {};
  // A browser that shows the declarative form by itself proposes a notification, and may keep the data back.
  const wanted = push?.notification && typeof push.notification === "object" ? push.notification : proposed ?? {};
  const lang = text(wanted.lang) ?? navigator.language ?? "en";
  const [anything, expired] = generic[lang.slice(0, 2)] ?? generic.en;
  const tag = text(wanted.tag) ?? text(ww.tag);
  const data = { id: text(ww.id), chat: text(ww.chat), n: Number.isInteger(ww.n) ? ww.n : undefined, navigate: text(wanted.navigate) };
  if (Date.parse(ww.exp) <= Date.now()) return { title: anything, options: { body: expired, tag, lang, data, silent: true } };
  const silent = wanted.silent === true;
  return {
    title: text(wanted.title) ?? anything,
    options: {
      body: text(wanted.body), tag, lang, dir: "auto", data, silent,
      // Without a tag there is nothing to ring again for.
      renotify: Boolean(tag) && !silent && wanted.renotify === true, requireInteraction: wanted.requireInteraction === true,
    },
  };
}

/** Closes what was taken back. */
async function close(tags) {
  if (!Array.isArray(tags)) return;
  for (const tag of tags.filter(text)) {
    for (const shown of await registration.getNotifications({ tag })) shown.close();
  }
}

async function setBadge(count) {
  if (Number.isInteger(count) && count >= 0) await navigator.setAppBadge?.(count);
}

async function receive(event) {
  const push = content(event);
  const { title, options } = drawn(push, event.notification);
  const ww = push?.ww ?? {};
  const gone = Array.isArray(ww.gone) ? ww.gone.filter(tag => tag !== options.tag) : [];
  // First, because a browser may lose a notification that is listed while it is on its way to the screen.
  await Promise.allSettled([close(gone), setBadge(ww.badge ?? push?.app_badge)]);
  try {
    await registration.showNotification(title, options);
  } catch {
    await registration.showNotification(title);
  }
}

/** The page that a click leads to: one of this origin, with the entry in its fragment. */
function destination({ id, chat, navigate } = {}) {
  const home = new URL(registration.scope);
  const wanted = URL.canParse(navigate ?? "", home) ? new URL(navigate ?? "", home) : home;
  const target = wanted.origin === home.origin ? wanted : home;
  if (id) target.hash = new URLSearchParams({ ww: id, ...(chat && { chat }) });
  return target;
}

/** Brings the open page of the same person to the front, or opens one. */
async function open(data) {
  const target = destination(data ?? {});
  const user = url => new URL(url).searchParams.get("user");
  const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ url }) => new URL(url).pathname === target.pathname && user(url) === user(target));
  if (!page) return clients.openWindow(target);
  page.postMessage({ opened: target.hash });
  return page.focus();
}

addEventListener("install", () => skipWaiting());
addEventListener("activate", event => event.waitUntil(clients.claim()));
addEventListener("push", event => event.waitUntil(receive(event)));
addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
