"use strict";
// The demo's service worker: it keeps the page for when there is no network. Pushes have the library's worker.

const SHELF = "watchwise-demo";
const PATIENCE_MS = 4000;

/** What is kept: the page, its parts and the library; never a token, and nothing of the API. */
function isKept(request) {
  const { origin, pathname } = new URL(request.url);
  const home = new URL("../", location.href).pathname;
  if (request.method !== "GET" || origin !== location.origin || !pathname.startsWith(home)) return false;
  const path = pathname.slice(home.length);
  return path === "demo" || /^v1\/sdk\/watchwise[a-z-]*\.js$/.test(path) || path.startsWith("demo/") && path !== "demo/session";
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

addEventListener("install", () => skipWaiting());
addEventListener("activate", event => event.waitUntil(clients.claim()));
