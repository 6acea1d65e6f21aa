import { h } from "./element-dom.js";
// The preferences that concern people: when nothing rings, what may interrupt, and notifications while the page is closed.

const LEVELS = { active: ["active", "aboutActive"], "time-sensitive": ["urgent", "aboutUrgent"], critical: ["critical", "aboutCritical"] };
const NIGHT = { from: "22:00", to: "07:00" };

/** Tells the preferences and their changes; the small library has no list of them. */
export async function watchPreferences(ww, told, signal) {
  if (ww.preferences) return ww.preferences.watch(({ value }) => told(value ?? {}), { signal });
  const off = ww.on("preferences", event => told(event.preferences));
  signal.addEventListener("abort", off, { once: true });
  told(await ww.request({ type: "preferences" }));
}

const check = (label, checked, act, more) => h("label", {}, h("input", { type: "checkbox", checked, change: event => act(event.target.checked), ...more }), h("span", {}, label));

/** The page of the preferences. `element` shows it; `now` are the preferences. */
export function drawPreferences(element, now) {
  const t = key => element.t(key);
  const set = patch => element.doing(element.ww.preferences?.set(patch) ?? element.ww.request({ type: "preferences", set: patch }));
  const quiet = now.quietHours;
  const timeZone = now.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const setQuiet = hours => set({ quietHours: hours, ...(hours && { timeZone }) });
  const time = (name, label) => h("label", {}, h("span", {}, label),
    h("input", { type: "time", name, given: quiet[name], change: ({ target: { value } }) => value && setQuiet({ ...quiet, [name]: value }) }));
  const levels = now.levels ?? Object.keys(LEVELS);
  return h("div", { class: "rows settings", part: "preferences", key: "preferences" },
    h("fieldset", {}, h("legend", { class: "unseen" }, t("quiet")),
      check(t("quiet"), Boolean(quiet), on => setQuiet(on ? NIGHT : null), { name: "quiet" }),
      quiet ? h("div", { class: "times" }, time("from", t("from")), time("to", t("to"))) : null,
      h("small", {}, t("quietHint"))),
    h("fieldset", {}, h("legend", {}, t("interrupts")),
      Object.entries(LEVELS).map(([level, [name, about]]) => check([t(name), " ", h("small", {}, t(about))], levels.includes(level),
        on => set({ levels: on ? [...levels, level] : levels.filter(one => one !== level) }), { name: level, key: level })),
      check(t("muteAll"), now.mute?.all === true, on => set({ mute: { all: on || null } }), { name: "muteAll" })),
    drawPush(element));
}

/** Only where the page says where the worker lies, or has switched pushes on by itself. */
function drawPush(element) {
  const push = element.ww?.push;
  const worker = element.getAttribute("worker");
  if (!push || !worker && push.state !== "on" || ["unsupported", "unavailable"].includes(push.state)) return null;
  const act = async () => {
    try {
      await (push.state === "on" ? push.disable() : push.enable({ worker: new URL(worker, document.baseURI).href }));
    } catch (error) {
      if (error.code !== "push-denied") element.complain(element.t("pushFailed"));
    }
    element.changed();
  };
  const word = { on: "pushOn", off: "pushOff", denied: "pushDenied" }[push.state];
  return h("fieldset", {}, h("button", { type: "button", class: "framed push", disabled: push.state === "denied", click: act }, element.t(word)));
}
