// The service worker: shows pushes, and opens the page on a click. Two ways to use it:
//   registered as it is (`ww.push.enable()` does that), it handles its events by itself;
//   imported by another worker (`importScripts` or `import`), it puts `watchwise` there, and handles nothing until
//   `watchwise.listen()` is called.
// A browser ends the subscription of a page whose pushes it does not see: something is shown for every push.
"use strict";
(() => {
  /** Bundlers put a mark of the content into the name. */
  const WORKER_NAME = /\/watchwise-worker[^/]*\.js$/;
  /** How long open pages may take to say whose they are. A browser allows a page to be opened only for a moment after a click. */
  const ANSWER_MS = 300;
  /** How long a registration may take while no page is open: a browser ends a worker that works for long. */
  const REGISTER_MS = 15_000;
  /** Where pages note what a worker needs to register a new subscription by itself, by scope. */
  const NOTES = "watchwise";
  /** Texts for what cannot be shown: nothing is known of it, or its time is over. */
  const GENERIC = {
    en: ["New notification", "This notification has expired."], it: ["Nuova notifica", "Questa notifica è scaduta."],
    de: ["Neue Mitteilung", "Diese Mitteilung ist abgelaufen."],
    pl: ["Nowe powiadomienie", "To powiadomienie wygasło."], el: ["Νέα ειδοποίηση", "Αυτή η ειδοποίηση έληξε."],
  };
  const scope = self;
  const text = value => typeof value === "string" && value ? value : undefined;
  const object = value => typeof value === "object" && value !== null ? value : undefined;

  /** What the server sent: `{ww, notification, …}`; null for everything else. Another sender or another time may send anything. */
  function read(event) {
    try {
      return object(event.data?.json()) ?? null;
    } catch {
      return null;
    }
  }

  /**
   * The notification of a push, as `showNotification` takes it.
   * @param {object | null} push what `read` returned
   * @param {Notification} [proposed] that of a browser which shows the declarative form by itself
   */
  function draw(push, proposed) {
    const ww = object(push?.ww) ?? {};
    const wanted = object(push?.notification) ?? proposed ?? {};
    const lang = text(wanted.lang) ?? navigator.language ?? "en";
    const [anything, expired] = GENERIC[lang.slice(0, 2)] ?? GENERIC.en;
    const tag = text(wanted.tag) ?? text(ww.tag);
    const options = { tag, lang, dir: "auto", data: { ww, navigate: text(wanted.navigate) } };
    if (Date.parse(ww.exp) <= Date.now()) return { title: anything, options: { ...options, body: expired, silent: true } };
    const silent = wanted.silent === true;
    return {
      title: text(wanted.title) ?? anything,
      options: {
        ...options, body: text(wanted.body), silent,
        // Without a tag there is nothing to ring again for.
        renotify: Boolean(tag) && !silent && wanted.renotify === true,
        requireInteraction: wanted.requireInteraction === true || ww.level === "critical",
      },
    };
  }

  /** Closes the notifications with these tags. */
  async function close(tags) {
    const lists = await Promise.all(tags.filter(text).map(tag => scope.registration.getNotifications({ tag })));
    for (const shown of lists.flat()) shown.close();
  }

  /** Shows a push, closes what was taken back, and sets the badge. */
  async function push(event) {
    const received = read(event);
    const { title, options } = draw(received, event.notification);
    const ww = object(received?.ww) ?? {};
    const gone = Array.isArray(ww.gone) ? ww.gone.filter(tag => tag !== options.tag) : [];
    const badge = ww.badge ?? received?.app_badge;
    // First, because a browser may lose a notification that is listed while it is on its way to the screen.
    await Promise.allSettled([close(gone), Number.isInteger(badge) && badge >= 0 && navigator.setAppBadge?.(badge)]);
    try {
      await scope.registration.showNotification(title, options);
    } catch {
      await scope.registration.showNotification(title);
    }
  }

  /** The address that a click leads to: one of this origin, with the entry in its fragment. */
  function destination({ ww = {}, navigate } = {}) {
    const home = new URL("/", scope.location.origin);
    let target = home;
    try {
      target = new URL(navigate ?? "", home);
    } catch { /* not an address */ }
    if (target.origin !== home.origin) target = home;
    const place = Object.entries({ ww: ww.id, chat: ww.chat, n: ww.n }).filter(([, value]) => value !== undefined);
    if (place.length) target.hash = new URLSearchParams(place);
    return target;
  }

  /** The first of the pages in which the library is open for this registration; null when none says so in time. */
  function owner(pages) {
    return new Promise(resolve => {
      setTimeout(resolve, ANSWER_MS, null);
      for (const page of pages) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(page);
        page.postMessage({ watchwise: "whose", scope: scope.registration.scope }, [port2]);
      }
    });
  }

  /** After a click: brings an open page to the front and tells it what was clicked, or opens one. */
  async function click(event) {
    const { notification } = event;
    notification.close();
    const data = object(notification.data) ?? {};
    const target = destination(data);
    const plain = address => address.split("#")[0];
    const pages = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
    const page = await owner(pages) ?? pages.find(({ url }) => plain(url) === plain(target.href));
    if (!page) return scope.clients.openWindow(target);
    page.postMessage({ watchwise: "opened", scope: scope.registration.scope, place: target.hash.slice(1) });
    return page.focus();
  }

  /** The browser has ended the subscription: makes another one, and lets an open page register it, or registers it itself. */
  async function renew(event) {
    const { pushManager } = scope.registration;
    const options = event.newSubscription ? null : event.oldSubscription?.options;
    if (options) await pushManager.subscribe(options);
    const pages = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
    for (const page of pages) page.postMessage({ watchwise: "renewed", scope: scope.registration.scope });
    if (await owner(pages)) return;
    const note = await noted();
    if (!note) return;  // without an address for tokens the next page registers it
    const subscription = await pushManager.getSubscription() ?? await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: note.key });
    await register(note, subscription.toJSON());
  }

  /** What a page has noted: `{server, user, device, tokenUrl, key, open, privacy}`. */
  async function noted() {
    const found = await (await caches.open(NOTES)).match(scope.registration.scope);
    return found ? found.json() : null;
  }

  /** A token of the person who has a session with the application in this browser: as text, or as the member `token` of an object. */
  async function tokenFrom(address) {
    const answer = await fetch(address, { credentials: "include", cache: "no-store" });
    const said = (await answer.text()).trim();
    if (!answer.ok || !said) throw new Error(`there is no token at ${address}: ${answer.status}`);
    return said.startsWith("{") ? JSON.parse(said).token : said;
  }

  /** Tells the server of a subscription, in a session of its own. */
  async function register({ server, user, device, tokenUrl, open, privacy }, { endpoint, keys }) {
    const token = await tokenFrom(tokenUrl);
    const home = server.endsWith("/") ? server : `${server}/`;
    await new Promise((resolve, reject) => {
      const socket = new WebSocket(`${home}v1/ws`.replace(/^http/i, "ws"), "watchwise.v1");
      const end = (settle, value) => {
        clearTimeout(timer);
        socket.onclose = null;
        socket.close(1000);
        settle(value);
      };
      const fail = message => end(reject, new Error(message));
      const timer = setTimeout(fail, REGISTER_MS, "the server did not answer in time");
      const send = message => socket.send(JSON.stringify(message));
      socket.onopen = () => send({ id: 1, type: "hello", token, device });
      socket.onclose = () => fail("the connection has ended");
      socket.onmessage = ({ data }) => {
        const { re, ok, error } = JSON.parse(data);
        if (error) return fail(error.message);
        if (re === 2) return end(resolve);
        if (re !== 1) return undefined;
        // Somebody else has signed in meanwhile.
        if (ok.user !== user) return fail(`the token belongs to ${ok.user}, not to ${user}`);
        return send({ id: 2, type: "device", platform: "webpush", subscription: { endpoint, keys }, open, privacy: privacy ?? undefined });
      };
    });
  }

  /** Handles all events of pushes. */
  function listen() {
    scope.addEventListener("push", event => event.waitUntil(push(event)));
    scope.addEventListener("notificationclick", event => event.waitUntil(click(event)));
    scope.addEventListener("pushsubscriptionchange", event => event.waitUntil(renew(event)));
  }

  scope.watchwise = { read, draw, push, click, renew, listen };
  if (!WORKER_NAME.test(scope.location.pathname)) return;
  scope.addEventListener("install", () => scope.skipWaiting());
  listen();
})();
