// Sockets: what happens to a WebSocket, as inputs of the session's machine.

/** The address of the WebSocket of a server. */
export function socketAddress(server) {
  const address = new URL("v1/ws", server.endsWith("/") ? server : `${server}/`);
  address.protocol = address.protocol.replace("http", "ws");
  return address.href;
}

/** One connection after the other. A new one, or `close`, silences the one before. */
export class Transport {
  /**
   * @param {string} server the address of the server
   * @param {{new(address: string, protocol: string): WebSocket}} WebSocket the class of sockets
   * @param {(input: object) => void} take takes `{opened: true}`, `{receiveText}` and `{ended}`
   */
  constructor(server, WebSocket, take) {
    Object.assign(this, { address: socketAddress(server), WebSocket, take, socket: null });
  }

  open() {
    this.close(1000);
    let socket;
    try {
      socket = this.socket = new this.WebSocket(this.address, "watchwise.v1");
    } catch (error) {
      return this.take({ ended: { lost: error.message } });
    }
    const ifCurrent = body => event => socket === this.socket && body(event);
    socket.onopen = ifCurrent(() => this.take({ opened: true }));
    socket.onmessage = ifCurrent(({ data }) => this.take({ receiveText: `${data}` }));
    socket.onerror = () => {};  // `onclose` follows
    socket.onclose = ifCurrent(({ code, reason }) => {
      this.socket = null;
      // 1006: it ended without a close frame. 1005: the frame had no code.
      this.take({ ended: code === 1006 ? { lost: reason || null } : { closed: { code: code === 1005 ? null : code, reason } } });
    });
  }

  send(message) {
    // A socket that is closing drops what it is given; its end is reported, and what it was is sent again.
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message));
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
