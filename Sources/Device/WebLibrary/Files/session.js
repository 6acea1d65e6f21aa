import { CLOSE, Retrying } from "./retrying.js";
import { ReceivedEvents } from "./received.js";
import { CommandQueue, persistenceOf } from "./commands.js";
// One device's session across any number of connections, without I/O, clock or chance of its own: inputs and the time
// in, actions out. Tests/SessionVectors/README.md lists both; the Swift machine behaves the same.
//
//   idle → connecting → hello → online ─┐
//            ↑  ↑         │       │     │ stop, 44xx, refused
//            │  └ waiting ← disconnecting
//            └─ offline ┘               ↓
//                                     ended

const EPHEMERAL = new Set(["unread", "typing", "presence", "drain", "documents", "unwatched"]);
const DEFAULTS = {
  device: null, user: null, since: null, locale: null, client: null, baseMs: 500, capMs: 30_000, connectTimeoutMs: 10_000,
  ackAfterMs: 1000, inFlightMax: 128, silenceGraceMs: 5000, pingAfterMs: 5000, pingTimeoutMs: 3000, reconnects: true,
  storing: false, onReplaced: "end", retriesRefusals: false, retriesTokens: false,
};
const HEARTBEAT_MAX_MS = 86_400_000;

/** The machine. `step` takes an input and returns the actions to perform, in order. */
export class SessionMachine {
  /**
   * @param {object} configuration see the README of the vectors
   * @param {() => number} random fractions in [0, 1)
   */
  constructor(configuration, random) {
    this.configuration = { ...DEFAULTS, ...configuration };
    this.phase = { name: "idle" };
    this.received = new ReceivedEvents(this.configuration.since, this.configuration.storing);
    this.retrying = new Retrying(this.configuration, random);
    this.commands = new CommandQueue();
    this.actions = [];
    this.lastID = 0;
    this.submitted = null;
    this.heardAt = 0;
    this.pausedUntil = null;
    this.ping = null;  // {until} of a ping, as long as nothing was heard since
    this.pingID = null;
    this.attempt = 0;
    this.isSystemOffline = false;
    this.isVisible = false;
    this.toldState = JSON.stringify({ name: "idle" });
  }

  /** The point up to which this device has everything: the next connect asks for later events. */
  get cursor() {
    return this.received.cursor;
  }

  /** The id of the command that was submitted last. */
  get lastSubmitted() {
    return this.submitted;
  }

  /** The state of the API: its name, and what belongs to it. */
  get state() {
    const { name, until, reason } = this.phase;
    if (this.isRefused) return { name: "signed-out", reason: this.retrying.refusal };
    if (name === "waiting") return { name, until, attempt: this.attempt };
    if (name === "online") return { name: this.isCaughtUp ? "live" : "catching-up" };
    if (name === "ended") return stateAfter(reason, this.configuration);
    return { name: name === "idle" || name === "offline" ? name : "connecting" };
  }

  /** Whether the tokens are refused. The session goes on slowly, and says so until one is accepted. */
  get isRefused() {
    return this.retrying.refusal !== null && this.phase.name !== "ended";
  }

  /** Whether the device has all missed events, and the state that it had to fetch again. */
  get isCaughtUp() {
    return this.phase.name === "online" && this.phase.isLive && this.phase.fetchedAt === null;
  }

  /** When a `tick` must come at the latest; null when nothing is due. */
  get deadline() {
    const { name, until, silenceMs } = this.phase;
    const times = [];
    if (name === "waiting" || name === "connecting" || name === "hello") times.push(until);
    if (name === "online") {
      times.push(this.heardAt + silenceMs, this.received.ackAt, this.ping?.until);
      if (this.commands.isWaiting) times.push(this.pausedUntil);
    }
    const due = times.filter(time => time !== null && time !== undefined);
    return due.length ? Math.min(...due) : null;
  }

  /** Takes one input, an object with one member, at a time of any monotonic clock in milliseconds. */
  step(input, at) {
    const [name] = Object.keys(input);
    this[`on_${name}`](input[name], at);
    const state = this.state;
    const text = JSON.stringify(state);
    if (text !== this.toldState) {
      this.toldState = text;
      this.report("state", state);
    }
    const actions = this.actions;
    this.actions = [];
    return actions;
  }

  // What the owner says

  on_start(_, at) {
    if (this.phase.name !== "idle") return;
    if (this.isSystemOffline) this.phase = { name: "offline" };
    else this.connect(at);
  }

  on_stop() {
    if (this.phase.name !== "ended") this.end("stopped", CLOSE.normal);
  }

  on_submit({ command, persistence = persistenceOf(command) }, at) {
    const id = this.submitted = this.takeID();
    if (this.phase.name === "ended" || this.isRefused) return this.report("reply", { command: id, lost: true });
    this.commands.append(id, command, persistence);
    this.sendWaiting(at);
  }

  /** Nobody waits for the answer any more: what was not sent stays unsent, and what was sent is not sent again. */
  on_abandon(id) {
    this.commands.abandon(id);
  }

  on_stored(point, at) {
    this.received.stored(point);
    if (this.phase.name !== "online") return;
    const { fetchedAt, epoch } = this.phase;
    if (fetchedAt !== null && point.epoch === epoch && point.seq >= fetchedAt) this.phase.fetchedAt = null;
    this.planAck(at);
  }

  on_hint(hint, at) {
    if (hint === "hidden" || hint === "visible") this.isVisible = hint === "visible";
    if (hint === "offline" || hint === "online") this.isSystemOffline = hint === "offline";
    const { name, isAnnounced } = this.phase;
    if (hint === "hidden") return;
    if (name === "online") {
      const isSilent = hint === "offline" || at - this.heardAt > this.configuration.pingAfterMs;
      if (isSilent && this.ping === null) this.sendPing(at);
      if (hint === "visible" && this.received.ackAt !== null) this.sendAck();
    } else if (hint === "offline") {
      if (name === "waiting") this.phase = { name: "offline" };
    } else if (!this.isSystemOffline && (name === "offline" || name === "waiting" && !isAnnounced)) this.connect(at);
  }

  on_tick(_, at) {
    const { name, until, silenceMs } = this.phase;
    if (name === "waiting" && at >= until) this.connect(at);
    else if ((name === "connecting" || name === "hello") && at >= until) this.disconnect();
    else if (name === "online") {
      if (at >= this.heardAt + silenceMs || this.ping !== null && at >= this.ping.until) return this.disconnect();
      if (this.received.ackAt !== null && at >= this.received.ackAt) this.sendAck();
      this.sendWaiting(at);
    }
  }

  // What happens to the connection

  on_opened({ token }, at) {
    if (this.phase.name !== "connecting") return;
    if (token === null) return this.end("noToken", CLOSE.normal);
    const id = this.takeID();
    this.received.connected();
    this.retrying.announced = null;
    this.ping = null;
    this.heardAt = at;
    this.send(this.hello(id, token, this.cursor, this.received.readAfter));
    this.phase = { name: "hello", id, until: this.phase.until };
  }

  on_renew({ token }, at) {
    if (this.phase.name !== "online" || Number.isInteger(this.phase.renewal)) return;
    if (token === undefined) return void (this.phase.renewal = null);  // the source of tokens failed; the next time, perhaps
    if (token === null) return this.end("noToken", CLOSE.normal);
    this.phase.renewal = this.takeID();
    this.send(this.hello(this.phase.renewal, token, null));
  }

  on_heard(_, at) {
    this.heardAt = at;
    this.ping = null;
  }

  on_ended(end, at) {
    if (["idle", "waiting", "offline", "ended"].includes(this.phase.name)) return;
    this.phase = { name: "disconnecting" };
    this.received.disconnected();
    this.pausedUntil = null;
    this.ping = this.pingID = null;
    for (const id of this.commands.connectionLost()) this.report("reply", { command: id, lost: true });
    const wait = this.configuration.reconnects ? this.retrying.delayAfter(end, at) : null;
    if (wait === null) return this.end({ transport: end }, null);
    if (this.isRefused) this.loseCommands();
    this.attempt += 1;
    const { delay, isAnnounced } = wait;
    this.phase = this.isSystemOffline ? { name: "offline" } : { name: "waiting", until: at + delay, isAnnounced };
    this.report("offline", { end, reconnectInMs: this.isSystemOffline ? null : delay });
  }

  on_receiveText(text, at) {
    if (this.phase.name === "ended") return;  // then nothing is reported
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      message = null;
    }
    this.on_receive(message, at);
  }

  on_receive(message, at) {
    this.on_heard(true, at);
    if (!isReadable(message)) return this.report("violation", { unreadable: true });
    if (this.phase.name !== "hello" && this.phase.name !== "online") return;
    if (message.re !== undefined) this.receiveReply(message, at);
    else this.receiveEvent(message, at);
  }

  // Replies

  receiveReply({ re, ok, error }, at) {
    const { name, id, renewal } = this.phase;
    if (re === null) return this.report("violation", { unexpectedReply: null });
    if (name === "hello" && re === id) return error ? this.refuseHello(error) : this.begin(ok, at);
    if (name === "online" && re === renewal) return this.receiveRenewal(ok, error, at);
    if (re === this.pingID) return void (this.pingID = null);
    const entry = this.commands.inFlight(re);
    if (!entry) return this.report("violation", { unexpectedReply: re });
    if (!error) {
      this.retrying.commandSucceeded();
      this.received.show(ok?.seq, this.phase.epoch);
      return this.settle(re, { ok }, at);
    }
    const kind = error.class;
    if (kind === "auth") this.refuseToken(entry, error, at);
    else if (kind === "permanent" || entry.persistence === "once") this.settle(re, { error }, at);
    else this.putBack(re, error, at);
  }

  /** One token is asked for, for all commands that wait for it. */
  refuseToken(entry, error, at) {
    const isAsked = this.phase.name === "online" && this.phase.renewal !== null;
    const isWorthTrying = isAsked || this.retrying.isAnotherTokenWorthTrying();
    if (entry.persistence === "once" || !isWorthTrying) this.settle(entry.id, { error }, at);
    else this.putBack(entry.id, error, at);
    if (isWorthTrying) this.askRenewal();
  }

  /** Sends nothing for a while: later commands would be refused, too, and would overtake those that wait. */
  putBack(id, error, at) {
    this.commands.putBack(id);
    this.pausedUntil = Math.max(this.pausedUntil ?? at, at + this.retrying.delayOfCommands(error));
  }

  settle(id, outcome, at) {
    if (!this.commands.remove(id).isAbandoned) this.report("reply", { command: id, ...outcome });
    this.sendWaiting(at);
  }

  begin(ok, at) {
    if (!isHello(ok)) {
      const message = "the answer to hello lacks members";
      return this.end({ refused: { code: "internal", class: "retry", message } }, CLOSE.normal);
    }
    if (this.isOther(ok)) return this.end({ otherUser: ok.user }, CLOSE.normal);
    this.retrying.tokenAccepted();
    // A device that named no point gets everything after this `hello`. One that named a point gets what it missed: those
    // events, or `live`, move the cursor, also into another epoch. If the connection breaks before, the same point is
    // named again.
    const isFresh = this.configuration.storing && this.cursor === null;
    this.received.begin({ epoch: ok.epoch, seq: ok.seq });
    this.phase = {
      name: "online", epoch: ok.epoch, isLive: false, isReset: false, renewal: null,
      silenceMs: 2 * ok.heartbeat + this.configuration.silenceGraceMs,
      // The position that the store must have before the lists are complete; null when the events suffice.
      fetchedAt: isFresh ? ok.seq : null,
    };
    this.report("online", ok);
    this.sendWaiting(at);
  }

  /** Whether the token is another person's than the one whose writes and rows this device has. */
  isOther(ok) {
    const { user } = this.configuration;
    return user !== null && typeof ok?.user === "string" && ok.user !== user;
  }

  refuseHello(error) {
    if (this.isFinal(error)) return this.end({ refused: error }, CLOSE.normal);
    if (error.class === "limit") this.retrying.announce(error.retryAfterMs);
    this.disconnect();
  }

  /** Whether no other `hello` is of use after the refusal of one. */
  isFinal(error) {
    return error.class === "permanent" || error.class === "auth" && !this.retrying.mayConnectAgain(error.message);
  }

  receiveRenewal(ok, error, at) {
    this.phase.renewal = null;
    if (error) {
      if (this.isFinal(error)) return this.end({ refused: error }, CLOSE.normal);
      return this.disconnect();
    }
    if (this.isOther(ok)) return this.end({ otherUser: ok.user }, CLOSE.normal);
    this.pausedUntil = null;
    if (isHello(ok)) this.report("online", ok);
    this.sendWaiting(at);
  }

  // Events

  receiveEvent(message, at) {
    const { type, seq } = message;
    switch (type) {
    case "live": return this.receiveLive(Number.isInteger(seq) ? seq : 0, at);
    case "beat": return this.receiveBeat(message);
    case "bye": return this.retrying.announce(message.reconnectInMs);
    case "expiring": return this.askRenewal();
    case "reset":
      if (this.phase.name === "online") this.phase.isReset = true;  // until `live` the cursor does not change
      return this.report("reset", typeof message.reason === "string" ? message.reason : "");
    }
    // An event of a type that this client does not know is durable when it has a place in the log.
    if (EPHEMERAL.has(type) || !Number.isInteger(seq)) return this.report("event", message);
    const { seen, isStored } = this.received.take(seq, this.phase.epoch ?? null);
    if (seen !== undefined) return this.report("violation", { notAscending: { event: message, cursor: seen } });
    if (isStored) return;
    if (!this.configuration.storing) this.planAck(at);
    this.report("event", message);
  }

  receiveLive(head, at) {
    const { phase, received } = this;
    if (phase.name !== "online") return;
    if (phase.isReset) {
      received.reset();
      if (this.configuration.storing) phase.fetchedAt = head;
    }
    phase.isLive = true;
    phase.isReset = false;
    this.retrying.wentLive(at);
    this.attempt = 0;
    // Everything up to here was delivered, or was not for this user.
    received.move(head, phase.epoch);
    this.planAck(at);
    this.report("live", head);
  }

  receiveBeat({ events, seq }) {
    if (!Number.isInteger(events)) return;
    if (events !== this.received.count) {
      this.report("violation", { countDiffers: { sent: events, received: this.received.count } });
      return this.disconnect();
    }
    if (this.phase.name !== "online" || !this.phase.isLive || !Number.isInteger(seq)) return;
    // All sent events have arrived, and no other events up to here are for this user. A store has to be told.
    const { epoch } = this.phase;
    if (this.received.move(seq, epoch) && this.configuration.storing) this.report("reached", { epoch, seq });
  }

  // Means

  takeID() {
    return this.lastID += 1;
  }

  send(message) {
    this.actions.push({ send: message });
  }

  report(name, value) {
    this.actions.push({ report: { [name]: value } });
  }

  hello(id, token, since, readAfter = null) {
    const { device, locale, client } = this.configuration;
    const fields = Object.entries({ device, since, readAfter, locale, client }).filter(([, value]) => value !== null);
    return { id, type: "hello", token, ...Object.fromEntries(fields) };
  }

  connect(at) {
    this.phase = { name: "connecting", until: at + this.configuration.connectTimeoutMs };
    this.actions.push({ connect: true });
  }

  disconnect() {
    this.phase = { name: "disconnecting" };
    this.actions.push({ disconnect: CLOSE.normal });
  }

  /** Ends the session for a reason, and the transport if there is one. */
  end(reason, code) {
    const { name } = this.phase;
    if (name === "online" && this.received.ackAt !== null) this.sendAck();
    this.phase = { name: "ended", reason };
    if (code !== null && ["connecting", "hello", "online"].includes(name)) this.actions.push({ disconnect: code });
    this.loseCommands();
    this.report("ended", reason);
  }

  /** Nobody knows when there will be a connection again. */
  loseCommands() {
    for (const id of this.commands.removeAll()) this.report("reply", { command: id, lost: true });
  }

  askRenewal() {
    if (this.phase.name !== "online" || this.phase.renewal !== null) return;
    this.phase.renewal = "asked";
    this.actions.push({ renewToken: true });
  }

  sendPing(at) {
    const id = this.pingID = this.takeID();
    this.ping = { until: at + this.configuration.pingTimeoutMs };
    this.send({ id, type: "ping" });
  }

  /** Sends waiting commands, as far as the window and a pause allow. */
  sendWaiting(at) {
    if (this.phase.name !== "online") return;
    if (this.pausedUntil !== null && at < this.pausedUntil) return;
    this.pausedUntil = null;
    while (this.commands.inFlightCount < this.configuration.inFlightMax) {
      const entry = this.commands.next();
      if (!entry) return;
      this.send({ ...entry.command, id: entry.id });
    }
  }

  /** While a person looks the server hears at once what has arrived; else it hears it once a second. */
  planAck(at) {
    const { ackAfterMs } = this.configuration;
    if (ackAfterMs === null) return;
    this.received.planAck(at, ackAfterMs);
    if (this.isVisible && this.received.ackAt !== null) this.sendAck();
  }

  sendAck() {
    const seq = this.received.takeAck(this.phase.epoch);
    if (seq !== null) this.send({ type: "ack", seq });
  }
}

/** The members that this library reads of the answer to `hello`. */
function isHello(ok) {
  return typeof ok?.epoch === "string" && ok.epoch !== "" && Number.isInteger(ok.seq) && Number.isInteger(ok.heartbeat)
    && ok.heartbeat >= 1 && ok.heartbeat <= HEARTBEAT_MAX_MS
    && Number.isInteger(ok.unread?.chats) && Number.isInteger(ok.unread?.notifications);
}

/** Whether a message is a reply with an outcome, or an event. */
function isReadable(message) {
  if (typeof message !== "object" || message === null) return false;
  if (message.re === undefined) return typeof message.type === "string";
  return message.ok !== undefined || ["permanent", "retry", "auth", "limit"].includes(message.error?.class);
}

/** The state in which a session is over. */
function stateAfter(reason, { user }) {
  if (reason === "noToken") return { name: "signed-out" };
  if (reason === "stopped") return { name: "closed" };
  if (reason.otherUser) return { name: "blocked", code: "other-user", reason: `the token belongs to ${reason.otherUser}, not to ${user}` };
  if (reason.refused?.class === "auth") return { name: "signed-out", reason: reason.refused.message };
  if (reason.refused) return { name: "blocked", code: reason.refused.code, reason: reason.refused.message };
  const { closed } = reason.transport;
  if (closed?.code === CLOSE.unauthenticated) return { name: "signed-out", reason: closed.reason };
  if (closed && closed.code >= 4400 && closed.code <= 4499) return { name: "blocked", code: closed.code, reason: closed.reason };
  return { name: closed || "lost" in reason.transport || "violation" in reason.transport ? "closed" : "blocked" };
}
