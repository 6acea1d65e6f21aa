// The samples of the documentation, as they stand there: each page is one module, and what it prints is what it says (`// →`).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { format } from "node:util";
import { Server, folder } from "./served.mjs";

let server;
const app = createServer(({ url }, answer) => answer.end(server.token(new URL(url, "http://app").searchParams.get("user") ?? "alice")));
before(() => new Promise(resolve => app.listen(0, "127.0.0.1", resolve)));
after(() => app.close());

/** The code of a page, and what it is to print. */
function sample(page) {
  const text = readFileSync(new URL(`../../Sources/Device/WebLibrary/WebLibrary.docc/${page}.md`, import.meta.url), "utf8");
  const code = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block).join("\n");
  return { code, wanted: [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, words]) => words) };
}

for (const page of ["Start", "Chat", "Offline", "Documents", "People"]) {
  test(`the samples of ${page}.md run and print what they say`, { skip: !globalThis.WebSocket && "needs a WebSocket" }, async t => {
    server = await new Server(page).start();
    await server.befriend("alice", "bob");
    const { code, wanted } = sample(page);
    assert.ok(wanted.length > 2);
    const printed = [];
    t.mock.method(console, "log", (...words) => printed.push(format(...words)));
    const file = join(folder, "sdk", `${page}.mjs`);
    writeFileSync(file, code.replaceAll("https://chat.example.org", server.address).replaceAll("https://app.example.org", `http://127.0.0.1:${app.address().port}`)
      .replaceAll("/var/lib/watchwise", server.data));
    await import(file);
    assert.deepEqual(printed, wanted);
    await server.end();
  });
}

/** How each language runs a program that prints what `token("alice")` returns; `code` is that of the page. */
const LANGUAGES = {
  js: ["node", [], ".mjs", code => `${code}\nprocess.stdout.write(token("alice"));`],
  python: ["python3", ["-I"], ".py", code => `${code}\nprint(token("alice"), end="")`],
  php: ["php", [], ".php", code => `${code}\necho token("alice");`],
  go: ["go", ["run"], ".go", code => `package main\nimport (${["crypto/hmac", "crypto/sha256", "encoding/base64", "encoding/hex", "encoding/json", "fmt", "os", "strings", "time"]
    .map(name => `"${name}"`).join(";")})\n${code}\nfunc main() { fmt.Print(token("alice")) }`],
};

test("what /token returns in Node, Python, PHP and Go is a token of this user", async t => {
  server = await new Server("tokens").start();
  const text = readFileSync(new URL("../../Sources/Device/WebLibrary/WebLibrary.docc/People.md", import.meta.url), "utf8");
  const place = mkdtempSync(join(folder, "tokens-"));
  const run = [];
  for (const [language, [program, words, ending, whole]] of Object.entries(LANGUAGES)) {
    const [, code] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(text);
    assert.ok(code.trimEnd().split("\n").length <= 13, language);
    if (spawnSync(program, [language === "go" ? "version" : "--version"]).status !== 0) {
      t.diagnostic(`not run: ${language}, because ${program} is not installed`);
      continue;
    }
    const file = join(place, `main${ending}`);
    writeFileSync(file, whole(code.replaceAll("/var/lib/watchwise", server.data)));
    const { stdout, stderr, status } = spawnSync(program, [...words, file], { encoding: "utf8", timeout: 120_000, env: { ...process.env, GOCACHE: join(place, "go"), GO111MODULE: "off" } });
    assert.equal(status, 0, `${language}: ${stderr}`);
    const answer = await fetch(`${server.address}/v1/commands`, { method: "POST", headers: { Authorization: `Bearer ${stdout}`, "Content-Type": "application/json" }, body: JSON.stringify({ type: "preferences" }) });
    assert.equal(answer.status, 200, `${language}: ${await answer.text()}`);
    const { sub, exp } = JSON.parse(Buffer.from(stdout.split(".")[1], "base64url").toString());
    assert.ok(sub === "alice" && Math.abs(exp - Date.now() / 1000 - 600) < 60, language);
    run.push(language);
  }
  t.diagnostic(`run: ${run.join(", ")}`);
  assert.ok(run.length >= 2);
  await server.end();
});
