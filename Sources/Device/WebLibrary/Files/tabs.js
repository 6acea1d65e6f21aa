import { randomName } from "./names.js";
// One device, one connection: of all tabs of a page one leads. Who leads holds a lock; all talk over a channel.

/** How long a tab that is looked at waits for the leader's word before it takes the lock. */
const PONG_MS = 2000;

/** This tab among the others. Without Web Locks each tab is alone, and leads. */
export class Tabs {
  /**
   * @param {object} options `onLead` and `onLose` are called when this tab begins and ceases to lead, `onMessage` with what
   * another tab posts
   */
  constructor({ name, locks, Channel, onLead, onLose, onMessage }) {
    Object.assign(this, { id: randomName(6), name, locks, Channel, onLead, onLose, onMessage });
    this.isLeader = false;
    this.isClosed = false;
    this.isAway = false;
    this.channel = null;
    this.listen();
  }

  listen() {
    if (!this.locks || !this.Channel) return;
    this.channel = new this.Channel(this.name);
    this.channel.onmessage = ({ data }) => this.receive(data);
  }

  start() {
    if (this.channel) this.queue({});
    else this.lead();
  }

  post(message) {
    if (!this.isClosed && !this.isAway) this.channel?.postMessage({ from: this.id, ...message });
  }

  /** Asks whether the leader lives; a tab that is looked at does not wait long. */
  askLeader() {
    if (!this.channel || this.isLeader || this.isClosed || this.isAway || this.asking) return;
    this.post({ kind: "ping" });
    this.asking = setTimeout(() => {
      this.asking = null;
      if (!this.isLeader && !this.isClosed) this.queue({ steal: true });
    }, PONG_MS);
  }

  close() {
    this.post({ kind: "gone" });
    this.isClosed = true;
    this.letGo();
  }

  /**
   * The page is put away, and comes back as it is: meanwhile it neither leads nor listens, and may not read or write, for what it begins
   * then may never end, and would hold up the others. Returns false where it is alone.
   */
  leave() {
    if (!this.channel || this.isClosed) return false;
    this.post({ kind: "gone" });
    this.isAway = true;
    this.letGo();
    return true;
  }

  letGo() {
    clearTimeout(this.asking);
    this.asking = null;
    this.lose();
    this.giveUp?.abort();
    this.channel?.close();
  }

  /** It has come back, and stands in line. */
  comeBack() {
    if (!this.isAway || this.isClosed) return;
    this.isAway = false;
    this.listen();
    this.queue({});
  }

  receive(message) {
    if (message.to && message.to !== this.id) return;
    if (message.kind === "ping") {
      if (this.isLeader) this.post({ kind: "pong", to: message.from });
    } else if (message.kind === "pong") {
      clearTimeout(this.asking);
      this.asking = null;
    } else this.onMessage(message);
  }

  /** Waits for the lock, and holds it until this tab closes or another one takes it. */
  queue({ steal = false }) {
    if (steal) this.giveUp?.abort();
    const { signal } = this.giveUp = new AbortController();
    let isHeld = false;
    const hold = () => {
      if (this.isClosed || signal.aborted) return undefined;
      isHeld = true;
      this.lead();
      return new Promise(resolve => {
        this.release = resolve;
      });
    };
    // The one that was taken from must stop at once; it stands in line again, whoever told it first: the lock, or the store.
    const again = () => {
      if (isHeld) this.lose();
      if (isHeld && !this.isClosed && !this.isAway) this.queue({});
    };
    this.locks.request(this.name, steal ? { steal } : { signal }, hold).then(again, again);
  }

  lead() {
    this.isLeader = true;
    this.onLead();
  }

  lose() {
    if (!this.isLeader) return;
    this.isLeader = false;
    this.onLose();
    this.release?.();
  }
}
