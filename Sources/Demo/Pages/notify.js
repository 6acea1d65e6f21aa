"use strict";
// The notifications of this computer: a button that asks for them, their subscription, which is the session's registered
// device, and what the person looks at.

const notifyWords = {
  on: ["Notify me on this computer", "Avvisami su questo computer", "Powiadamiaj mnie na tym komputerze", "Ειδοποίησέ με σε αυτόν τον υπολογιστή"],
  off: ["No notifications on this computer", "Niente avvisi su questo computer", "Bez powiadomień na tym komputerze", "Χωρίς ειδοποιήσεις σε αυτόν τον υπολογιστή"],
  blocked: ["The browser blocks notifications of this page", "Il browser blocca gli avvisi di questa pagina", "Przeglądarka blokuje powiadomienia tej strony", "Ο περιηγητής αποκλείει τις ειδοποιήσεις"],
  failed: ["The browser cannot be reached by pushes now", "Ora il browser non riceve avvisi", "Przeglądarka nie przyjmuje teraz powiadomień", "Ο περιηγητής δεν δέχεται τώρα ειδοποιήσεις"],
};

/**
 * A page says what it can: `locale`, `chat` (the one on the screen), `say(text)`, `opened(id, chat)` after a click on a
 * notification. In one browser each user of the demo has a worker, and so a subscription.
 */
function makeNotifying(connection, user, page) {
  const words = what => notifyWords[what][Math.max(0, ["en", "it", "pl", "el"].indexOf(page.locale.slice(0, 2)))];
  const home = "demo?user=" + encodeURIComponent(user);
  const isPossible = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  let key = null;
  let isOn = false;
  let looked = null;

  /** The browser may wait for its push service for ever. */
  const bounded = (promise, seconds) => Promise.race([promise, new Promise((_, reject) => setTimeout(reject, seconds * 1000, new Error("late")))]);
  const registered = async () => (await navigator.serviceWorker.getRegistrations())
    .find(({ scope }) => scope === new URL(home, location.href).href);
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
    const open = new URL(home, location.href).href;
    await connection.request({ type: "device", platform: "webpush", subscription: { endpoint, keys }, open });
    isOn = true;
  }

  async function begin() {
    if (await Notification.requestPermission() !== "granted") return;
    const registration = await navigator.serviceWorker.register("demo/push.js", { scope: home, updateViaCache: "none" });
    try {
      await bounded(active(registration), 15);
    } catch (error) {
      await registration.unregister();  // the next click makes another
      throw error;
    }
    await register(await subscribe(registration));
  }

  async function active({ installing, waiting, active }) {
    const worker = installing ?? waiting ?? active;
    while (worker.state !== "activated") {
      if (worker.state === "redundant") throw new Error("the browser has ended the new worker");
      await new Promise(done => worker.addEventListener("statechange", done, { once: true }));
    }
  }

  async function end() {
    const registration = await registered();
    isOn = false;
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
    await registration?.unregister();
    await connection.request({ type: "device", remove: true });
  }

  /** The subscription belongs to the session's device: a new session takes it over. */
  async function renew() {
    const registration = isPossible && await registered();
    if (!registration || Notification.permission !== "granted") return;
    if (await registration.pushManager.getSubscription()) await register(await subscribe(registration));
  }

  async function attempt(work) {
    $("notify").disabled = true;
    try { await work(); } catch { page.say(words("failed")); }
    $("notify").disabled = false;
    draw();
  }

  function draw() {
    const isBlocked = isPossible && Notification.permission === "denied";
    $("notify").hidden = !isPossible || key === null;
    $("notify").ariaPressed = isOn;
    $("notify").dataset.state = isBlocked ? "blocked" : isOn ? "on" : "off";
    write("notify", words(isBlocked ? "blocked" : isOn ? "off" : "on"));
  }

  /** Says whether the person looks, when that has changed. A page that is only visible may be forgotten. */
  function look() {
    const on = document.visibilityState === "visible" && document.hasFocus();
    const now = JSON.stringify({ on, ...(on && page.chat && { chat: page.chat }) });
    if (now === looked || connection.state !== "connected") return;
    looked = now;
    connection.tell({ type: "focus", ...JSON.parse(now) });
  }

  /** The place that a click on a notification leads to, when the session can show it. */
  function follow(hash) {
    const place = new URLSearchParams(hash.slice(1));
    if (!place.has("ww") || connection.state !== "connected") return;
    history.replaceState(null, "", location.pathname + location.search);
    page.opened(place.get("ww"), place.get("chat"));
  }

  function listen() {
    $("notify").addEventListener("click", () => attempt(isOn ? end : begin));
    document.addEventListener("visibilitychange", look);
    for (const event of ["focus", "blur"]) addEventListener(event, look);
    addEventListener("hashchange", () => follow(location.hash));
    navigator.serviceWorker?.addEventListener("message", ({ data }) => { if (data?.opened) location.hash = data.opened; });
  }

  return {
    listen, look,

    /** The answer to `hello`: which key the server pushes with, if it does. */
    welcomed(ok) {
      key = ok.push?.webpush ?? null;
      draw();
    },

    /** The session is live: it knows nothing yet of who looks, and the device may be another one. */
    live() {
      looked = null;
      look();
      if (key !== null) renew().catch(() => {}).finally(draw);  // the next session tries again
      follow(location.hash);
    },

    /** Closes the notifications on the screen that are not wanted any more; each has the `id`, `chat` and `n` of its entry. */
    async close(isOver) {
      const registration = isPossible && await registered();
      for (const shown of await registration?.getNotifications?.() ?? []) if (isOver(shown.data ?? {})) shown.close();
    },
  };
}
