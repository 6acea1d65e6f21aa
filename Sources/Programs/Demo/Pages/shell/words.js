// The words of the page in the user's language, and its times and numbers. A language is a file in `words/`; one more
// file is one more language.

export const languages = { en: "English", de: "Deutsch", el: "Ελληνικά", it: "Italiano", pl: "Polski" };

let words = {};
let tag = "en-GB";
let plural = new Intl.PluralRules("en");

/** The language of a tag, as far as there is one: English else. */
export const languageOf = locale => Object.keys(languages).find(one => (locale ?? "").toLowerCase().startsWith(one)) ?? "en";

/** Reads the words of a language; whatever is drawn afterwards speaks it. */
export async function speak(locale) {
  const language = languageOf(locale);
  words = await (await fetch(`demo/words/${language}.json`)).json();
  tag = locale?.includes("-") ? locale : language === "en" ? "en-GB" : language;
  plural = new Intl.PluralRules(tag);
  document.documentElement.lang = language;
}

/** The language that the page speaks. */
export const spoken = () => document.documentElement.lang;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** A value from right to left keeps its direction, and the text around it its order (Unicode, annex 9: FSI and PDI). */
const isolated = value => RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;

/**
 * A text by its key. `{name}` stands for a value; a text with forms is an object by the plural's category of `n`. A key
 * that is missing shows itself.
 */
export function t(key, values = {}) {
  const found = words[key] ?? key;
  const text = typeof found === "string" ? found : found[plural.select(values.n ?? 0)] ?? found.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => typeof values[name] === "number" ? number(values[name]) : isolated(values[name] ?? whole));
}

/** Whether there is a text for a key. */
export const has = key => key in words;

export const number = (value, options) => new Intl.NumberFormat(tag, options).format(value);

const DAY = 86_400_000;

/** A time of today as a clock shows it, one of another day with its date. */
export function moment(at) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(tag, { hour: "2-digit", minute: "2-digit", ...(!isToday && { day: "numeric", month: "short" }) });
}

/** How long ago something was, or until it is. */
export function ago(at) {
  const seconds = (new Date(at) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) return "";
  const steps = [["day", 86_400], ["hour", 3600], ["minute", 60]];
  const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? [null, 1];
  if (Math.abs(seconds) > 6 * DAY / 1000) return new Date(at).toLocaleDateString(tag, { day: "numeric", month: "short" });
  if (unit === null) return t("now");
  return new Intl.RelativeTimeFormat(tag, { numeric: "auto" }).format(Math.trunc(seconds / length), unit);
}

/** A time as an element, for eyes and for programs. */
export const timeOf = (at, h) => at ? h("time", { datetime: at, title: moment(at) }, ago(at)) : null;
