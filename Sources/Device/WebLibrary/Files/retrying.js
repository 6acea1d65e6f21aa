// Decides whether a session tries again after a failure, and after which wait. Without clock or chance of its own.

/** Close codes that this library acts on by name; the range of any other code is the advice. */
export const CLOSE = { normal: 1000, tooLong: 1009, misuse: 4400, unauthenticated: 4401, kicked: 4403, noHello: 4408, replaced: 4409 };

/** Consecutive refusals of tokens after which no new token is tried, or only slowly. */
const AUTH_FAILURES_MAX = 2;
/** The waits of a session that goes on asking for tokens: a server that refuses them all, perhaps by mistake, is not asked often. */
const TOKENS = { baseMs: 30_000, capMs: 900_000 };
/** The longest wait after a connection that had been live: once, until a connection is steady again. */
const AFTER_LIVE_MS = 300;
/** So long a connection has to be live before earlier failures are forgotten. */
const STEADY_MS = 10_000;
/** How long a device waits that was replaced although it is the one that should be connected. */
const AFTER_REPLACED_MS = 1000;
/** The most that a server may ask a client to wait. */
const ANNOUNCED_MAX_MS = 3_600_000;

/**
 * A whole number from 0 to `max`, both included.
 * @param {() => number} random fractions in [0, 1)
 */
export function chance(random, max) {
  return Math.floor(random() * (max + 1));
}

/** The wait that a refusal asks for. */
export function announcedWait({ retryAfterMs }) {
  return Number.isInteger(retryAfterMs) ? retryAfterMs : 0;
}

/** Waits that double: 0.5 s · 2ⁿ up to 30 s, each times 0.5 to 1, so that clients that failed together come back apart. */
export class Backoff {
  constructor({ baseMs = 500, capMs = 30_000 } = {}) {
    this.baseMs = Math.max(1, baseMs);
    this.capMs = Math.max(1, capMs);
    this.failures = 0;
  }

  /** Counts a failure and draws the next wait in milliseconds. */
  next(random) {
    const bound = Math.min(this.capMs, this.baseMs * 2 ** Math.min(this.failures, 40));
    this.failures += 1;
    const half = Math.floor(bound / 2);
    return half + chance(random, bound - half);
  }

  /** Notes a success: the next failure counts as the first. */
  reset() {
    this.failures = 0;
  }
}

/** The waits of one session: between connections, and of commands that were refused for now. */
export class Retrying {
  constructor(configuration, random) {
    this.random = random;
    this.baseMs = configuration.baseMs;
    this.onReplaced = configuration.onReplaced;
    this.retriesRefusals = configuration.retriesRefusals;
    this.retriesTokens = configuration.retriesTokens;
    this.connects = new Backoff(configuration);
    this.commands = new Backoff(configuration);
    this.tokens = new Backoff(TOKENS);
    this.authFailures = 0;
    /** Why the tokens of this session are refused, as long as they are; then it connects slowly. */
    this.refusal = null;
    this.liveAt = null;  // when this connection went live
    this.isShortWaitUsed = false;
    /** What the server announced for the end of this connection (`bye.reconnectInMs`, `retryAfterMs` of `hello`). */
    this.announced = null;
  }

  /** Notes that missed events were delivered. */
  wentLive(at) {
    this.liveAt ??= at;
  }

  commandSucceeded() {
    this.commands.reset();
    this.authFailures = 0;
  }

  tokenAccepted() {
    this.authFailures = 0;
    this.refusal = null;
    this.tokens.reset();
  }

  announce(milliseconds) {
    this.announced = Number.isInteger(milliseconds) ? Math.min(Math.max(milliseconds, 0), ANNOUNCED_MAX_MS) : null;
  }

  /** Counts a refusal of the token. */
  isAnotherTokenWorthTrying() {
    this.authFailures += 1;
    return this.authFailures < AUTH_FAILURES_MAX;
  }

  /** Counts a refusal of the token of a `hello`. Returns whether another connection is tried with another one. */
  mayConnectAgain(reason) {
    if (this.isAnotherTokenWorthTrying()) return true;
    if (this.retriesTokens) this.refusal = reason ?? "";
    return this.retriesTokens;
  }

  /** Milliseconds until commands are sent again. */
  delayOfCommands(error) {
    return announcedWait(error) + this.commands.next(this.random);
  }

  /**
   * The wait before the next attempt to connect; null when there must be none. A connection that ends soon after it went
   * live forgets nothing: a server or a proxy that ends each one would be asked again without a pause.
   * @returns {{delay: number, isAnnounced: boolean} | null}
   */
  delayAfter(end, at) {
    const wasLive = this.liveAt !== null;
    if (wasLive && at - this.liveAt >= STEADY_MS) {
      this.connects.reset();
      this.isShortWaitUsed = false;
    }
    this.liveAt = null;
    if (!this.isAdvised(end)) return null;
    if (end.closed?.code === CLOSE.replaced) return { delay: AFTER_REPLACED_MS, isAnnounced: true };
    if (this.refusal !== null) return { delay: this.tokens.next(this.random), isAnnounced: false };
    if (this.announced !== null) {
      // The delay belongs to the connection that ended: if the next one fails, too, this client chooses its own wait.
      // The server has spread the delays already; the additional chance stays small.
      const delay = this.announced + chance(this.random, this.baseMs);
      this.announced = null;
      this.isShortWaitUsed = true;
      return { delay, isAnnounced: true };
    }
    if (wasLive && !this.isShortWaitUsed) {
      this.isShortWaitUsed = true;
      return { delay: chance(this.random, Math.min(AFTER_LIVE_MS, this.baseMs)), isAnnounced: false };
    }
    return { delay: this.connects.next(this.random), isAnnounced: false };
  }

  isAdvised(end) {
    if ("badHandshake" in end) return this.retriesRefusals;
    // A network may break TLS; a wrong certificate stays wrong when the same server is asked again.
    if ("encryption" in end) return !end.encryption.certificate || this.retriesRefusals;
    if ("refused" in end) return end.refused >= 500 || end.refused === 429 || end.refused === 408 || this.retriesRefusals;
    if (!("closed" in end)) return true;  // lost, violation
    const code = end.closed.code;
    if (code === null || code < 4400 || code > 4499) return true;
    if (code === CLOSE.replaced) return this.onReplaced === "reconnect";
    // The hello was late, because the device slept or had much to do; that of the next connection need not be.
    if (code === CLOSE.noHello) return true;
    // A new token is a change, as 44xx demands.
    return code === CLOSE.unauthenticated && this.mayConnectAgain(end.closed.reason);
  }
}
