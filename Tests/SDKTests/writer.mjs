// A process that writes until it is killed, or with `drain` until nothing waits: what it was told as kept goes to its output.
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [library, server, token, storage, round, mode] = process.argv.slice(2);
const { WatchWise } = await import(pathToFileURL(library));
const ww = await WatchWise.open({ server, storage, user: "alice", token: async () => token });
// Nothing of this may happen: the server stays, and nobody else has the file.
for (const name of ["reset", "violation", "storage"]) ww.on(name, event => writeSync(2, `${round}: ${name} ${JSON.stringify(event)}\n`));
const chat = ww.chat("alice:bob");
if (mode === "drain") {
  let shown = [];
  chat.watch(({ items }) => (shown = items), { limit: 100_000 });
  while (ww.state.name !== "live" || ww.outbox.list().length > 0 || shown.some(item => !item.n)) await new Promise(resolve => setTimeout(resolve, 20));
  writeSync(1, JSON.stringify(shown.map(item => item.text)));
  await ww.close();
} else {
  for (let index = 0; ; index++) {
    while (ww.outbox.list().length > 500) await new Promise(resolve => setTimeout(resolve, 20));  // it holds 1,000
    const text = `${round}.${index}`;
    chat.send(text).kept.then(({ durable }) => durable && writeSync(1, `${text}\n`));
    await new Promise(resolve => setTimeout(resolve, Math.random() * 4));
  }
}
