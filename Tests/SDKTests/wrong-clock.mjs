// A device whose clock is wrong: what it does goes to its output.
import { pathToFileURL } from "node:url";

const [library, server, user, years, jumping, ...tokens] = process.argv.slice(2);
const YEAR_MS = 365.25 * 86_400_000;
const now = Date.now.bind(Date);
let offset = Number(years) * YEAR_MS;
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...parts) {
    super(...(parts.length ? parts : [now() + offset]));
  }
  static now() {
    return now() + offset;
  }
};
if (jumping) setInterval(() => (offset = (Math.random() * 2 - 1) * Number(years) * YEAR_MS), 20).unref();

const { WatchWise } = await import(pathToFileURL(library));
const [reasons, states] = [[], []];
const ww = await WatchWise.open({ server, user, token: async ({ reason }) => {
  reasons.push(reason);
  return tokens[Math.min(reasons.length, tokens.length) - 1];
} });
ww.on("state", ({ name }) => states.push(name));
let items = [];
ww.chat({ with: "bob" }).watch(told => (items = told.items), { limit: 100 });
for (let index = 0; index < 20; index++) {
  ww.chat({ with: "bob" }).send(`${index}`);
  await new Promise(resolve => setTimeout(resolve, 5));
}
const { performance } = globalThis;
const until = async check => {
  for (const end = performance.now() + 15_000; !check() && performance.now() < end;) await new Promise(resolve => setTimeout(resolve, 10));
};
await until(() => ww.outbox.list().length === 0 && items.length === 20 && items.every(item => item.n) && reasons.length === 2);
const before = items.length;
await ww.core.trim();
await new Promise(resolve => setTimeout(resolve, 100));
const after = (await ww.chat({ with: "bob" }).history({ limit: 50 })).messages.length;
console.log(JSON.stringify({ texts: items.map(item => item.text), reasons, states, serverTime: ww.core.serverTime, trimmed: { before, after } }));
await ww.close();
