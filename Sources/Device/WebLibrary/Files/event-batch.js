import { Changes } from "./changes.js";
import { keyOf } from "./store.js";
import { mirrorEvent, mirrorHistory, rowName, rowsOf } from "./mirror.js";
// Events and pages on their way into the store: one transaction takes a batch of them, with the cursor.

const BATCH_MAX = 200;
const BATCH_MS = 50;

/**
 * The batch of an engine. Its items are events, {reached} for a position, {history} for a page of a chat, {changes} that
 * somebody has thought out, and {replaced, reached} for the state that was fetched in place of missed events.
 */
export class EventBatch {
  items = [];
  /** The changes of the outbox because of these events. */
  changes = [];
  /** Entries whose own events are among them: lists show them until the store has the event. */
  settling = new Map();
  /** Until the state is fetched, no position may be stored: it would say that all before it is here. */
  isHolding = false;
  /** How many items ever came, and how many of them are no longer on their way. */
  count = 0;
  countOver = 0;
  /** What waits until no batch is on its way. */
  works = [];

  constructor(engine, milliseconds = BATCH_MS) {
    Object.assign(this, { engine, milliseconds });
  }

  /** While missed events come, it collects for a moment. */
  add(item) {
    this.items.push(item);
    this.count += 1;
    if (this.isHolding || this.engine.isStopped) return;
    if (this.engine.isLive || this.items.length >= BATCH_MAX) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.milliseconds);
  }

  /** The state was fetched: it is stored in one transaction with its position and all that waited for it. */
  replace(item) {
    this.items.unshift(item);
    this.count += 1;
    this.isHolding = false;
    this.flush();
  }

  /** What need not be stored. */
  drop(isDropped) {
    this.items = this.items.filter(item => !isDropped(item));
  }

  /** When all that came until now is in the store; what comes meanwhile is not waited for. */
  async stored() {
    const last = this.count;
    this.flush();
    while (this.flushing && this.countOver < last) await this.flushing;
  }

  /** Does something with rows while no batch is on its way. */
  exclusively(work) {
    return new Promise(done => {
      this.works.push(() => work().finally(done));
      this.flush();
    });
  }

  /** Begins to store what has come, unless something is on its way. */
  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.flushing) return;
    const work = this.works.shift() ?? (!this.isHolding && this.items.length > 0 ? () => this.storeItems() : null);
    if (!work) return;
    this.flushing = work().catch(error => this.engine.owner.storeFailed(error)).finally(() => {
      this.flushing = null;
      this.countOver = this.count - this.items.length;
      this.flush();
    });
  }

  /** One transaction for a batch of events and the cursor. */
  async storeItems() {
    const { engine } = this;
    await null;  // what comes in the same turn goes along
    const isReplacing = Boolean(this.items[0]?.replaced);
    const items = this.items.splice(0, isReplacing ? this.items.length : BATCH_MAX);
    const changes = this.changes.splice(0);
    const settled = [...this.settling.keys()];
    const rows = isReplacing ? new Map() : await this.rowsFor(items);
    const head = engine.isLive ? 0 : engine.hello?.seq ?? 0;
    const touched = new Changes(isReplacing ? ["everything"] : []);
    const events = [];
    let reached = null;
    for (const item of items) {
      if (item.replaced) {
        changes.push(...item.replaced);
        for (const { put } of item.replaced) if (put) rows.set(rowName(put[0], keyOf(...put)), put[1]);
      }
      if (item.reached) {
        if (reached === null || item.reached.epoch !== reached.epoch || item.reached.seq > reached.seq) ({ reached } = item);
        continue;
      }
      for (const change of this.changesOf(item, rows, head)) {
        changes.push(change);
        if (change.put) rows.set(rowName(change.put[0], keyOf(...change.put)), change.put[1]);
        if (change.delete) rows.set(rowName(...change.delete), null);
        touched.addChange(change);
      }
      if (item.type === undefined || item.isFetched) continue;
      if (Number.isInteger(item.seq)) reached = { epoch: engine.hello.epoch, seq: item.seq };
      events.push(item);
    }
    if (reached) changes.push({ put: ["meta", { name: "cursor", value: reached }] });
    await engine.store.write(lastPuts(changes), { leader: engine.leader });
    for (const key of settled) this.settling.delete(key);
    for (const { removeEntry } of changes) if (removeEntry) engine.feed({ removed: removeEntry });
    if (reached) {
      engine.cursor = reached;
      engine.input({ stored: reached });
    }
    if (settled.length) touched.add("outbox");
    engine.owner.changed(touched);
    engine.owner.events(events);
  }

  /** What an item of a batch changes: an event, a page of a chat, or what somebody has thought out already. */
  changesOf(item, rows, head) {
    if (item.changes) return item.changes;
    try {
      if (!item.history) return mirrorEvent(item, rows, { user: this.engine.user, head });
      const { chat, messages, asked, asOf } = item.history;
      const conversation = rows.get(rowName("chats", chat));
      return conversation ? mirrorHistory(conversation, messages, asked, asOf) : [];
    } catch (error) {
      // One that is not as the contract says must not take those with it that came in the same batch.
      this.engine.report_violation({ malformed: item, message: error.message });
      return [];
    }
  }

  async rowsFor(items) {
    const wanted = new Map();
    for (const item of items) {
      for (const need of item.history ? [["chats", item.history.chat]] : rowsOf(item))
        wanted.set(need.length === 3 ? rowName("messages", need[1]) : rowName(...need), need);
    }
    const rows = await this.engine.store.rows([...wanted.values()]);
    return new Map([...wanted.keys()].map((name, index) => [name, rows[index]]));
  }
}

/** Whether an item says how far the store is. */
export function hasPosition({ reached, isFetched, seq }) {
  return reached !== undefined || !isFetched && Number.isInteger(seq);
}

/** Of several puts of one row only the last is written. */
function lastPuts(changes) {
  const last = new Map();
  for (const [index, { put }] of changes.entries()) if (put) last.set(rowName(put[0], keyOf(...put)), index);
  return changes.filter(({ put }, index) => !put || last.get(rowName(put[0], keyOf(...put))) === index);
}
