// The samples of the documentation, as they stand there: each page is one module, and what it prints is what it says (`// →`).
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { format } from "node:util";
import { Server, folder } from "./served.mjs";

let server;
const app = createServer((_, answer) => answer.end(server.token("alice")));
before(() => new Promise(resolve => app.listen(0, "127.0.0.1", resolve)));
after(() => app.close());

/** The code of a page, and what it is to print. */
function sample(page) {
  const text = readFileSync(new URL(`../../Sources/Device/WebLibrary/WebLibrary.docc/${page}.md`, import.meta.url), "utf8");
  const code = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block).join("\n");
  return { code, wanted: [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, words]) => words) };
}

for (const page of ["Start", "Offline", "Documents"]) {
  test(`the samples of ${page}.md run and print what they say`, { skip: !globalThis.WebSocket && "needs a WebSocket" }, async t => {
    server = await new Server(page).start();
    await server.befriend("alice", "bob");
    const { code, wanted } = sample(page);
    assert.ok(wanted.length > 2);
    const printed = [];
    t.mock.method(console, "log", (...words) => printed.push(format(...words)));
    const file = join(folder, "sdk", `${page}.mjs`);
    writeFileSync(file, code.replaceAll("https://chat.example.org", server.address).replaceAll("https://app.example.org", `http://127.0.0.1:${app.address().port}`));
    await import(file);
    assert.deepEqual(printed, wanted);
    await server.end();
  });
}
