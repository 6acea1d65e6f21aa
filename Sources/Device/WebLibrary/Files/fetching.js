import { chatRow, messageRow } from "./mirror.js";
// What has to be asked for: the state after a reset, pages of chats.

const PAGE = 200;
const CHAT_PAGES_MAX = 10;
const NOTIFICATION_PAGES_MAX = 5;

/** The questions of an engine. */
export class Fetching {
  constructor(engine) {
    this.engine = engine;
  }

  /** The position up to which a reply that has just come shows everything. */
  get asOf() {
    return this.engine.session.received.reached?.seq ?? 0;
  }

  /** All pages of a list. */
  async pages(command, name, more, pagesMax = Infinity) {
    const rows = [];
    let next;
    for (let page = 0; page < pagesMax; page++) {
      const asked = { ...command, limit: PAGE, ...(next !== undefined && { [more]: next }) };
      const atOnce = ok => rows.push(...ok[name].map(row => [row, this.asOf]));
      ({ next } = await this.engine.request(asked, { persistence: "once", atOnce }));
      if (next === undefined) break;
    }
    return rows;
  }

  /** The changes that put the server's state in place of all that is here, but for documents, which are watched again. */
  async everything() {
    const { engine } = this;
    const [chats, notifications, topics, invitations, preferences] = await Promise.all([
      this.pages({ type: "chats" }, "chats", "before", CHAT_PAGES_MAX),
      this.pages({ type: "notifications" }, "notifications", "before", NOTIFICATION_PAGES_MAX),
      this.pages({ type: "following" }, "topics", "after"),
      this.pages({ type: "room.invitations" }, "invitations", "after").catch(withoutThem),
      engine.request({ type: "preferences" }, { persistence: "once" }),
    ]);
    const changes = ["chats", "messages", "inbox", "topics"].map(table => ({ clear: table }));
    for (const [chat, asOf] of chats) {
      changes.push({ put: ["chats", chatRow(chat, null, asOf)] });
      if (chat.last) changes.push({ put: ["messages", messageRow(chat.last, asOf)] });
    }
    for (const [row] of notifications) changes.push({ put: ["inbox", row] });
    for (const [topic] of topics) changes.push({ put: ["topics", { topic }] });
    changes.push({ put: ["meta", { name: "invitations", value: invitations.map(([row]) => row) }] });
    changes.push({ put: ["meta", { name: "preferences", value: preferences }] }, { put: ["meta", { name: "seenUpTo", value: 0 }] });
    engine.tookPreferences(preferences);
    return changes;
  }

  /** A page of a chat; it is in the store when this is over. */
  async history(chat, { before, after, limit }) {
    const { engine } = this;
    const bounds = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    const atOnce = ({ messages, next }) => messages.every(({ n }) => Number.isInteger(n)) && engine.batch.add({ history: { chat, messages, asked: { before, after, next }, asOf: this.asOf } });
    const { messages, next } = await engine.request({ type: "history", chat, ...bounds, limit }, { atOnce });
    await engine.batch.stored();
    return { messages, next };
  }
}

/** Of a server that is older than invitations. */
function withoutThem(error) {
  if (error.code === "unknown-command") return [];
  throw error;
}
