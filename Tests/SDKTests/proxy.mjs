// A network between client and server that can be bad: it swallows, delays, or cuts.
import { createServer as createHTTPServer, request } from "node:http";
import { createServer, connect } from "node:net";

/** A proxy of TCP. `isSwallowing`: what arrives goes nowhere, and nobody is told. */
export class Proxy {
  isSwallowing = false;
  delayMs = 0;
  pairs = new Set();

  constructor(port) {
    this.target = port;
    this.server = createServer(client => this.join(client));
  }

  async start() {
    await new Promise(resolve => this.server.listen(0, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  join(client) {
    const server = connect(this.target, "127.0.0.1");
    const pair = [client, server];
    this.pairs.add(pair);
    for (const [from, to] of [pair, [server, client]]) {
      let last = Promise.resolve();
      from.on("data", data => {
        if (this.isSwallowing) pair.isHalfOpen = true;
        // What was lost once is never made good: the rest would be out of order.
        if (pair.isHalfOpen) return;
        const { delayMs } = this;
        last = last.then(() => delayMs && new Promise(resolve => setTimeout(resolve, delayMs))).then(() => to.writable && to.write(data));
      });
      from.on("close", () => {
        this.pairs.delete(pair);
        if (!pair.isHalfOpen) last.then(() => to.destroy());
      });
      from.on("error", () => {});
    }
  }

  cut() {
    for (const [client, server] of this.pairs) {
      client.destroy();
      server.destroy();
    }
  }

  close() {
    this.cut();
    this.server.close();
  }
}

/** A proxy of HTTP in a network that refuses WebSockets. `requests`: what was asked for, as `GET /path?query`. */
export class BlockingProxy {
  requests = [];
  sockets = new Set();

  constructor(port) {
    this.server = createHTTPServer((question, answer) => {
      const { method, headers, url } = question;
      this.requests.push(`${method} ${url}`);
      const on = request({ host: "127.0.0.1", port, method, path: url, headers }, got => {
        answer.writeHead(got.statusCode, got.headers);
        got.pipe(answer);
        got.on("close", () => got.complete || answer.destroy());
      });
      on.on("error", () => answer.destroy());
      answer.on("close", () => on.destroy());
      question.pipe(on);
    });
    this.server.on("upgrade", (_, socket) => socket.destroy());
    this.server.on("connection", socket => this.sockets.add(socket));
  }

  async start() {
    await new Promise(resolve => this.server.listen(0, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  /** How often a stream of events was asked for. */
  get streams() {
    return this.requests.filter(line => line.startsWith("GET /v1/events")).length;
  }

  close() {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
