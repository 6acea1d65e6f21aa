// The words of the elements in the language of the page, and its times and numbers.

/** The words of each language of the product, in files of their own: a page loads those of its language. */
const LANGUAGES = {
  ar: () => import("./watchwise-words-ar.js"), de: () => import("./watchwise-words-de.js"), el: () => import("./watchwise-words-el.js"),
  en: () => import("./watchwise-words-en.js"), it: () => import("./watchwise-words-it.js"), pl: () => import("./watchwise-words-pl.js"),
  tr: () => import("./watchwise-words-tr.js"),
};

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = ["ar", "fa", "he", "ur"];
const TURNED = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** The language that a node is in, as its page says it; else that of the browser. */
export function languageOf(node) {
  let tag = navigator.language;
  for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
    if (!at.lang) continue;
    tag = at.lang;
    break;
  }
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? "en";
  } catch {
    return "en";  // a page may say anything
  }
}

/** The words of a language, or of English where there are none. */
export async function wordsOf(tag) {
  const language = tag.split("-")[0];
  const { words } = await (LANGUAGES[language] ?? LANGUAGES.en)();
  return new Words(LANGUAGES[language] ? tag : "en", words, tag);
}

/** Words with their language's plurals, numbers and times. */
export class Words {
  /** @param {string} [asked] the language that the page is in, where there are no words for it: an application may give them */
  constructor(tag = "en", words = {}, asked = tag) {
    Object.assign(this, { tag, words, asked, plural: new Intl.PluralRules(asked) });
    this.direction = RIGHT_TO_LEFT.includes(tag.split("-")[0]) ? "rtl" : "ltr";
  }

  /** These words, with others for some of their keys. */
  with(own) {
    return own ? new Words(this.asked, { ...this.words, ...own }) : this;
  }

  /** A text by its key, which shows itself where there is none. `{name}` stands for a value, which does not turn the text around it. */
  t(key, values = {}) {
    const found = this.words[key] ?? key;
    const text = typeof found === "string" ? found : found[this.plural.select(values.n)] ?? found.other;
    return text.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" ? value.toLocaleString(this.tag) : TURNED.test(value) ? `\u2068${value}\u2069` : value;
    });
  }

  /** The time of a day, with the date unless it is today. */
  moment(at) {
    const time = new Date(at);
    const isToday = time.toDateString() === new Date().toDateString();
    return time.toLocaleString(this.tag, { hour: "2-digit", minute: "2-digit", ...(!isToday && { day: "numeric", month: "short" }) });
  }

  /** How long ago something was. */
  ago(at) {
    const seconds = (new Date(at) - Date.now()) / 1000;
    if (seconds < -6 * 86_400) return new Date(at).toLocaleDateString(this.tag, { day: "numeric", month: "short" });
    for (const [unit, length] of [["day", 86_400], ["hour", 3600], ["minute", 60]])
      if (Math.abs(seconds) >= length) return new Intl.RelativeTimeFormat(this.tag, { numeric: "auto" }).format(Math.trunc(seconds / length), unit);
    return this.t("now");
  }
}
