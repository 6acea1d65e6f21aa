import { parts } from "./loading.js";
// Sockets: what happens to a WebSocket, as inputs of the session's machine.

/** The address of the WebSocket of a server. */
export function socketAddress(server) {
  return `${withSlash(server)}v1/ws`.replace(/^http/i, "ws");
}

/** The URL of React Native can neither change its protocol nor find a place below another one. */
function withSlash(server) {
  return server.endsWith("/") ? server : `${server}/`;
}

/** After this number of sockets that never opened, while the server answers, events are read as a stream. */
const BLOCKED_AFTER = 2;
/** Then a WebSocket is tried again after a while. */
const STREAMS_MS = 600_000;

/** One connection after the other. A new one, or `close`, silences the one before. */
export class Transport {
  /**
   * @param {string} server the address of the server
   * @param {{new(address: string, protocol: string): WebSocket}} WebSocket the class of sockets
   * @param {(input: object) => void} take takes `{opened: true}`, `{receiveText}` and `{ended}`
   */
  constructor(server, WebSocket, take) {
    Object.assign(this, { server, address: socketAddress(server), WebSocket, take, socket: null, blocked: 0, streamsUntil: 0 });
  }

  open() {
    this.close(1000);
    if (this.blocked >= BLOCKED_AFTER && parts.streams) {
      this.blocked = 0;
      this.streamsUntil = performance.now() + STREAMS_MS;
    }
    if (performance.now() < this.streamsUntil) this.openStream();
    else this.openSocket();
  }

  /** A socket did not open. If the server answers in the same moment, it is the network that wants none. */
  async noteUnopened() {
    this.blocked = await this.isReachable() ? this.blocked + 1 : 0;
  }

  async openStream() {
    const opening = this.socket = { isStream: true, close() {} };
    let EventStream;
    try {
      ({ EventStream } = await parts.streams());
    } catch (error) {
      if (opening !== this.socket) return;
      this.streamsUntil = 0;
      this.socket = null;
      return this.take({ ended: { lost: error.message } });
    }
    if (opening !== this.socket) return;
    const stream = this.socket = new EventStream(this.server, input => {
      if (stream !== this.socket) return;
      // One that does not begin helps no more than a WebSocket does; but one whose token is refused would have begun.
      const error = input.receive?.error;
      if (!stream.ok && (input.ended || error && error.class !== "auth")) this.streamsUntil = 0;
      if (input.ended) this.close();
      this.take(input);
    });
  }

  /** Whether the server answers to HTTP; a page of another origin may not see what it says. */
  async isReachable() {
    try {
      await fetch(`${withSlash(this.server)}healthz`, { mode: "no-cors", signal: AbortSignal.timeout(5000) });
      return true;
    } catch {
      return false;
    }
  }

  openSocket() {
    let socket;
    try {
      socket = this.socket = new this.WebSocket(this.address, "watchwise.v1");
    } catch (error) {
      return this.take({ ended: { lost: error.message } });
    }
    const ifCurrent = body => event => socket === this.socket && body(event);
    let isOpened = false;
    socket.onopen = ifCurrent(() => {
      isOpened = true;
      this.blocked = 0;
      this.take({ opened: true });
    });
    socket.onmessage = ifCurrent(({ data }) => this.take({ receiveText: `${data}` }));
    socket.onerror = () => {};  // `onclose` follows
    socket.onclose = ifCurrent(({ code, reason }) => {
      this.socket = null;
      if (!isOpened) this.noteUnopened();
      // 1006: it ended without a close frame. 1005: the frame had no code.
      this.take({ ended: code === 1006 ? { lost: reason || null } : { closed: { code: code === 1005 ? null : code, reason } } });
    });
  }

  send(message) {
    if (this.socket?.isStream) return this.socket.send(message);
    // A socket that is closing drops what it is given; its end is reported, and what it was is sent again.
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
    return undefined;
  }

  /** Ends the connection without waiting for the other side, which may be gone. */
  close(code) {
    const { socket } = this;
    this.socket = null;
    try {
      socket?.close(code);
    } catch { /* it was not open yet */ }
  }
}
