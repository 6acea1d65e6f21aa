import { randomName } from "./names.js";
// Commands of one session that wait to be sent, or wait for their replies, in their order.

/** What concerns the moment or the connection is not repeated; everything else has a key, or changes nothing twice. */
const ONCE = new Set(["typing", "presence", "focus", "ping", "ack", "hello"]);

/** Whether a command is repeated after a loss of the connection. */
export function persistenceOf(command) {
  return ONCE.has(command.type) ? "once" : "untilAnswered";
}

/** Commands that the server does once for a key, however often they come; those of rooms begin with `room.`. */
const KEYED = new Set("send recommend edit delete react follow unfollow report put patch remove".split(" "));
/** Questions about rooms. */
const ASKING = new Set(["room.members", "room.invitations"]);

/** A command with a key, if it can have one: it is sent again when its answer is lost, and another tab may send it again. */
export function keyed(command) {
  const { type, key } = command;
  const isKeyed = key === undefined && (KEYED.has(type) || `${type}`.startsWith("room.") && !ASKING.has(type));
  return isKeyed ? { ...command, key: randomName() } : command;
}

/** The queue; ids ascend. */
export class CommandQueue {
  constructor() {
    this.entries = new Map();
    this.inFlightCount = 0;
  }

  get isWaiting() {
    return this.inFlightCount < this.entries.size;
  }

  append(id, command, persistence) {
    this.entries.set(id, { id, command, persistence, isInFlight: false });
  }

  /** The next command to send; it counts as sent from now on. */
  next() {
    if (!this.isWaiting) return null;
    for (const entry of this.entries.values()) {
      if (entry.isInFlight) continue;
      entry.isInFlight = true;
      this.inFlightCount += 1;
      return entry;
    }
    return null;
  }

  /** The sent command with this id. */
  inFlight(id) {
    const entry = this.entries.get(id);
    return entry?.isInFlight ? entry : null;
  }

  remove(id) {
    const entry = this.entries.get(id);
    if (entry?.isInFlight) this.inFlightCount -= 1;
    this.entries.delete(id);
    return entry;
  }

  /** A command that was not sent goes; one that was sent waits for its reply on this connection only, and nobody hears it. */
  abandon(id) {
    const entry = this.entries.get(id);
    if (entry?.isInFlight) Object.assign(entry, { persistence: "once", isAbandoned: true });
    else this.entries.delete(id);
  }

  /** A sent command keeps its place and is sent again. */
  putBack(id) {
    const entry = this.inFlight(id);
    if (!entry) return;
    entry.isInFlight = false;
    this.inFlightCount -= 1;
  }

  /** The connection is lost: sent commands are sent again, or given up. Returns the ids of those given up. */
  connectionLost() {
    const lost = [];
    for (const entry of this.entries.values()) {
      if (entry.isInFlight && entry.persistence === "once") lost.push(entry);
      entry.isInFlight = false;
    }
    for (const { id } of lost) this.entries.delete(id);
    this.inFlightCount = 0;
    return heard(lost);
  }

  /** Empties it. Returns the ids of those given up. */
  removeAll() {
    const all = [...this.entries.values()];
    this.entries.clear();
    this.inFlightCount = 0;
    return heard(all);
  }
}

/** The ids of those whose end somebody waits for. */
function heard(entries) {
  return entries.filter(entry => !entry.isAbandoned).map(entry => entry.id);
}
