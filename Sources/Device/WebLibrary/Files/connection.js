import { WatchWiseError } from "./errors.js";
import { Transport } from "./transport.js";
import { byteCount, frameBytes, tooLarge } from "./sizes.js";
// A session's machine with a socket, timers and tokens. `Engine` adds the store and the outbox; watchwise-live.js has neither.

const TIMEOUT_MS = 30_000;
/** How long the application may take for a token. A request of its own may hang for minutes after a sleep. */
const TOKEN_MS = 20_000;
/** A timer of this length that is late by three of them tells that the machine slept. */
const WAKE_MS = 5000;
/** How often a connection is looked at while an answer is awaited: one that swallows everything is found out within 10 s. */
const PROBE_MS = 2000;
/** A longer timer would fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Milliseconds of a clock that only goes forward. */
export function ticks() {
  return Math.floor(performance.now());
}

/**
 * A token of the application. A question that it does not answer in time is over, so that it can be asked anew.
 * @param {(about: {reason: string}) => Promise<string | null>} source
 */
export function askToken(source, reason) {
  return new Promise((resolve, reject) => {
    const late = () => reject(new WatchWiseError("retry", "timeout", `the source of tokens gave none within ${TOKEN_MS / 1000} s`));
    const timer = setTimeout(late, TOKEN_MS);
    timer.unref?.();
    Promise.resolve().then(() => source({ reason })).then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whoever extends it makes `session`, says `messageBytes`, and has a method `report_…` for each report of the machine. */
export class Connection {
  constructor({ server, WebSocket, token }) {
    this.token = token;
    this.transport = new Transport(server, WebSocket, input => this.socketEvent(input));
    this.session = null;
    this.requests = new Map();
    this.timers = {};
    this.todo = [];
    this.hints = [];
    this.isStopped = false;
  }

  get state() {
    return this.session?.state ?? { name: "idle" };
  }

  get isLive() {
    return this.state.name === "live";
  }

  /** Waits for what belongs before a `hello`. */
  async prepared() {}

  // Commands

  /**
   * A command that is answered, or refused after a while; then it is not sent any more.
   * @param {(ok: object) => void} [options.atOnce] called with the reply at its place among the events
   */
  request(command, { timeoutMs = TIMEOUT_MS, persistence, atOnce = () => {} } = {}) {
    return new Promise((resolve, reject) => {
      if (!this.session) return reject(new WatchWiseError("retry", "not-connected", "there is no connection; call connect()"));
      const bytes = byteCount(command);
      const { messageBytes } = this;
      if (frameBytes(bytes) > messageBytes) return reject(WatchWiseError.from(tooLarge(bytes, messageBytes)));
      const { session } = this;
      const timer = setTimeout(() => {
        if (this.session === session) this.abandon(id);
        reject(new WatchWiseError("retry", "timeout", `no answer within ${timeoutMs / 1000} s`));
      }, timeoutMs);
      timer.unref?.();
      const settle = body => value => {
        clearTimeout(timer);
        body(value);
      };
      const resolved = settle(resolve);
      const refused = settle(reject);
      const take = ok => {
        try {
          atOnce(ok);
          resolved(ok);
        } catch (error) {
          refused(new WatchWiseError("retry", "internal", `the answer to ${command.type} lacks members: ${error.message}`));
        }
      };
      const id = this.submit({ command, persistence }, { resolve: take, reject: refused });
    });
  }

  /** Nobody waits for this answer any more. */
  abandon(id) {
    this.requests.delete(id);
    this.input({ abandon: id });
    this.probe();
  }

  /** A command of the moment: nobody waits for it. */
  tell(command) {
    if (this.session && this.isLive) this.submit({ command: { ...command }, persistence: "once" }, { resolve() {}, reject() {} });
  }

  submit(submitted, handler) {
    const request = { command: submitted.command, ...(submitted.persistence && { persistence: submitted.persistence }) };
    const actions = this.session.step({ submit: request }, ticks());
    const id = this.session.lastSubmitted;
    this.requests.set(id, handler);
    this.probeTimer ??= setInterval(() => this.probe(), PROBE_MS);
    this.probeTimer.unref?.();
    this.perform(actions);
    return id;
  }

  report_reply({ command, ok, error }) {
    const request = this.requests.get(command);
    this.requests.delete(command);
    if (ok) request?.resolve(ok);
    else request?.reject(error ? WatchWiseError.from(error) : new WatchWiseError("retry", "lost", "the connection ended before the answer"));
  }

  /** While somebody waits for an answer, silence is not waited out. */
  probe() {
    if (this.requests.size === 0 || this.isStopped) {
      clearInterval(this.probeTimer);
      this.probeTimer = null;
    } else if (this.session?.phase.name === "online") this.input({ hint: "woke" });
  }

  // The session

  /**
   * Whether there is a session already. One whose tokens were refused asks for another one at once, for whoever says `connect`
   * may have signed the user in.
   */
  goesOn() {
    const { session } = this;
    const goesOn = session !== null && session.phase.name !== "ended";
    if (goesOn && session.isRefused) this.input({ hint: "woke" });
    return goesOn;
  }

  input(input) {
    if (this.session) this.perform(this.session.step(input, ticks()));
  }

  /** Performs actions in order; those that arise meanwhile wait for their turn. */
  perform(actions) {
    this.todo.push(...actions);
    if (this.isPerforming) return;
    this.isPerforming = true;
    try {
      for (let action = this.todo.shift(); action; action = this.todo.shift()) this.act(action);
    } finally {
      this.isPerforming = false;
    }
    this.arm("session", this.session, () => this.input({ tick: true }));
  }

  act({ connect, send, disconnect, renewToken, report }) {
    if (connect) this.openSocket();
    else if (send) this.transport.send(send);
    else if (disconnect) {
      this.transport.close(disconnect);
      this.input({ ended: { lost: null } });
    } else if (renewToken) this.getToken("expiring").then(token => this.input({ renew: { token } }), () => this.input({ renew: {} }));
    else if (report) {
      const [name] = Object.keys(report);
      this[`report_${name}`](report[name]);
    }
  }

  openSocket() {
    const attempt = this.attempt = {};
    this.tokenPromise = this.getToken("connect");
    this.tokenPromise.catch(error => {
      if (this.attempt !== attempt) return;
      this.transport.close(1000);
      this.input({ ended: { lost: `the source of tokens failed: ${error?.message ?? error}` } });
    });
    this.transport.open();
  }

  /** One question for all who wait, however often the connection is tried meanwhile. */
  getToken(reason) {
    this.tokenAsked ??= askToken(this.token, reason).finally(() => {
      this.tokenAsked = null;
    });
    return this.tokenAsked;
  }

  async socketEvent(input) {
    if (!input.opened) return this.input(input);
    const { attempt } = this;
    try {
      const token = await this.tokenPromise;
      await this.prepared();
      if (this.attempt === attempt) this.input({ opened: { token: token ?? null } });
    } catch { /* told where it was asked for */ }
  }

  // Time

  hint(hint) {
    if (hint === "hidden" || hint === "visible") this.watchTime(hint === "visible");
    // The last of each pair is what holds when a session begins.
    // A page says often that it is visible; only that it has become so is a reason to try at once.
    if (hint !== "woke" && this.hints.includes(hint)) return;
    const pair = ["offline", "online"].includes(hint) ? ["offline", "online"] : ["visible", "hidden"];
    if (hint !== "woke") this.hints = [...this.hints.filter(other => !pair.includes(other)), hint];
    if (this.session) this.input({ hint });
  }

  /** A page that nobody sees needs no timer: it is told when somebody looks. */
  watchTime(isWatching) {
    clearInterval(this.wakeTimer);
    this.lastTime = ticks();
    if (!isWatching || this.isStopped) return;
    this.wakeTimer = setInterval(() => this.noteTime(), WAKE_MS);
    this.wakeTimer.unref?.();
  }

  arm(name, machine, tick) {
    const deadline = machine?.deadline ?? null;
    const timer = this.timers[name];
    if (timer?.deadline === deadline) return;
    clearTimeout(timer?.id);
    if (deadline === null || this.isStopped) return void delete this.timers[name];
    const id = setTimeout(() => {
      delete this.timers[name];
      tick();
    }, Math.min(Math.max(0, deadline - ticks()), TIMER_MAX_MS));
    this.timers[name] = { id, deadline };
  }

  noteTime() {
    const now = ticks();
    if (now - this.lastTime > 4 * WAKE_MS) this.hint("woke");
    this.lastTime = now;
  }
}
