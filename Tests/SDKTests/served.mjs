// A real server for the tests, people with tokens, and the library as it is served.
import { spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const BINARY = process.env.WATCHWISE_BINARY;
export const ROUNDS = Number(process.env.SDK_ROUNDS ?? 20);
export const folder = mkdtempSync(join(tmpdir(), "watchwise-sdk-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** The library as an application gets it. */
export const joined = join(folder, "sdk", "watchwise.js");
spawnSync(BINARY, ["sdk", join(folder, "sdk")], { stdio: ["ignore", "ignore", "inherit"] });
export const { WatchWise, WatchWiseError } = await import(pathToFileURL(joined));
/** Node before 22 has no WebSocket of its own. */
export const webSocket = globalThis.WebSocket ?? createRequire(import.meta.url)("/usr/share/nodejs/ws");

export const RULES = { "users/{user}/tasks/{task}": "owner", "boards/{id}": "public" };

/** The program on a folder, always on the same port. */
export class Server {
  static running = new Set();

  constructor(name, settings = {}) {
    this.data = join(folder, name);
    this.config = join(folder, `${name}.json`);
    this.port = 0;
    writeFileSync(this.config, JSON.stringify({ rules: RULES, triggers: ["film-network"], ...settings }));
  }

  start() {
    return new Promise((resolve, reject) => {
      this.process = spawn(BINARY, ["serve", "--listen", `127.0.0.1:${this.port}`, "--data", this.data, "--config", this.config], { stdio: ["ignore", "pipe", "pipe"] });
      Server.running.add(this.process);
      let [printed, log] = ["", ""];
      this.process.stderr.on("data", data => (log = (log + data).slice(-2000)));
      this.process.stdout.on("data", data => {
        printed += data;
        const found = /listening on \S*:(\d+)/.exec(printed);
        if (!found) return;
        this.port = Number(found[1]);
        resolve(this);
      });
      this.process.on("exit", code => reject(new Error(`the server ended with ${code}: ${log}`)));
    });
  }

  get address() {
    return `http://127.0.0.1:${this.port}`;
  }

  end(signal = "SIGTERM") {
    return new Promise(resolve => {
      this.process.removeAllListeners("exit");
      this.process.on("exit", () => {
        Server.running.delete(this.process);
        resolve();
      });
      this.process.kill(signal);
    });
  }

  token(user, { seconds = 86_400, jti, scope } = {}) {
    const [secret] = readFileSync(join(this.data, "secret"), "utf8").trim().split(/\s+/);
    const part = value => Buffer.from(JSON.stringify(value)).toString("base64url");
    const now = Math.floor(Date.now() / 1000);
    const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: user, exp: now + seconds, iat: now - 5, ...(jti && { jti }), ...(scope && { scope }) })}`;
    return `${text}.${createHmac("sha256", Buffer.from(secret, "hex")).update(text).digest("base64url")}`;
  }

  async call(user, method, path, body, more = {}) {
    const answer = await fetch(this.address + path, {
      method, headers: { Authorization: `Bearer ${this.token(user, more)}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return text ? JSON.parse(text) : null;
  }

  /** Reading a long chat reaches the pace of a user: then it waits as long as the server asks for, and asks again. */
  async command(user, command) {
    for (;;) {
      const answer = await this.call(user, "POST", "/v1/commands", { id: 1, ...command });
      if (answer.ok) return answer.ok;
      if (answer.code !== "rate-limited") throw new Error(JSON.stringify(answer));
      await pause(answer.retryAfterMs);
    }
  }

  /** Who may write to each other from now on. */
  async befriend(...users) {
    for (const one of users) for (const other of users) if (one !== other) await this.command(one, { type: "follow", topic: `user:${other}` });
  }

  open(user, options = {}) {
    return WatchWise.open({ server: this.address, token: async () => this.token(user), webSocket, ...options });
  }
}
process.on("exit", () => {
  for (const child of Server.running) child.kill("SIGKILL");
});

export const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Waits until something is true, and returns it. */
export async function until(check, what = check.toString(), seconds = 40) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const value = await check();
    if (value) return value;
    await pause(10);
  }
  throw new Error(`not within ${seconds} s: ${typeof what === "function" ? what() : what}`);
}

/** What a live list shows now. */
export function shown(list, ...options) {
  const seen = { items: [], told: 0 };
  seen.off = list.watch(snapshot => Object.assign(seen, snapshot, { told: seen.told + 1 }), ...options);
  return seen;
}
