// The package as applications add it: packed by npm, resolved by Node, bundled by esbuild and Rollup, held to React Native's
// rules, and not larger than it may be.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { DatabaseSync } from "node:sqlite";
import { Server, folder, until, webSocket } from "./served.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const made = join(folder, "sdk");
const app = mkdtempSync(join(folder, "app-"));
const about = JSON.parse(readFileSync(join(made, "package.json"), "utf8"));
const modules = readdirSync(made).filter(name => name.endsWith(".js"));
const read = name => readFileSync(join(made, name), "utf8");
const has = tool => spawnSync(tool, ["--version"]).status === 0;

let server;
before(async () => {
  server = await new Server("package").start();
  await server.befriend("alice", "bob");
  // An application with the package as npm would install it.
  const [{ filename, files }] = JSON.parse(execFileSync("npm", ["pack", made, "--json", "--offline", "--pack-destination", app], { encoding: "utf8" }));
  mkdirSync(join(app, "node_modules/watchwise"), { recursive: true });
  execFileSync("tar", ["-xzf", join(app, filename), "--strip-components=1", "-C", join(app, "node_modules/watchwise")]);
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", type: "module" }));
  packed = files.map(({ path }) => path);
});
let packed;
after(() => server.end());

/** Runs a module of the application in a process of its own, and returns what it prints. */
function run(code, ...flags) {
  const file = join(app, `run-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(file, code);
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--no-warnings", ...flags, file], { encoding: "utf8", cwd: app, timeout: 60_000 });
  assert.equal(status, 0, stderr);
  return stdout;
}

/** A chat, as an application would write it: prints the text that the list has. */
const chat = from => `
  import { WatchWise } from "${from}";
  const ww = await WatchWise.open({ server: ${JSON.stringify(server.address)}, token: async () => ${JSON.stringify(server.token("alice"))}, storage: "memory" });
  const { n } = await ww.chat({ with: "bob" }).send("bundled").done;
  const { messages } = await ww.chat({ with: "bob" }).history();
  console.log(messages.find(message => message.n === n).text);
  await ww.close();
`;

test("npm packs all that the exports name, the types, the maps and their sources, and nothing else", () => {
  const named = Object.values(about.exports).flatMap(entry => typeof entry === "string" ? entry : Object.values(entry));
  for (const path of [...named, about.main, about.types, about["react-native"]]) assert.ok(packed.includes(path.slice(2)), path);
  for (const name of modules) assert.ok(packed.includes(name) && packed.includes(`${name}.map`), name);
  for (const name of readdirSync(made)) if (name.endsWith(".d.ts")) assert.ok(packed.includes(name), name);
  for (const name of ["LICENSE", "README.md", "package.json"]) assert.ok(packed.includes(name), name);
  assert.deepEqual([about.license, about.type], ["Apache-2.0", "module"]);
  // What an application copied with the last version is there, too.
  for (const name of ["watchwise.js", "watchwise.d.ts", "watchwise-worker.js", "watchwise-sqlite.js"]) assert.ok(existsSync(join(made, name)), name);
});

test("the repository stands in the package when it is named", () => {
  const place = mkdtempSync(join(folder, "named-"));
  execFileSync(process.env.WATCHWISE_BINARY, ["sdk", place, "--repository", "https://git.example.org/watchwise.git"]);
  const { repository } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  assert.deepEqual(repository, { type: "git", url: "https://git.example.org/watchwise.git" });
  assert.equal(about.repository, undefined);
});

test("the files are made of the sources", () => {
  execFileSync(join(root, "deploy/library"), ["--check"], { stdio: "pipe" });
  for (const name of readdirSync(join(made, "src"))) assert.equal(readFileSync(join(made, "src", name), "utf8"), readFileSync(join(root, "Sources/Device/WebLibrary/Files", name), "utf8"));
});

test("a server serves the same files, with their types, below one address", async () => {
  const types = { ".js": "text/javascript", ".map": "application/json", ".ts": "text/plain" };
  for (const name of [...readdirSync(made), ...readdirSync(join(made, "src")).map(source => `src/${source}`)]) {
    if (name === "src" || name === "package.json") continue;
    const answer = await fetch(`${server.address}/v1/sdk/${name}`);
    assert.equal(answer.status, 200, name);
    assert.equal(await answer.text(), read(name), name);
    assert.equal(answer.headers.get("content-type"), `${types[extname(name)] ?? "text/plain"}; charset=utf-8`, name);
    const again = await fetch(`${server.address}/v1/sdk/${name}`, { headers: { "If-None-Match": answer.headers.get("etag") } });
    assert.equal(again.status, 304, name);
  }
  for (const name of ["made-from.txt", "Built/watchwise.js", "src/none.js"]) assert.equal((await fetch(`${server.address}/v1/sdk/${name}`)).status, 404, name);
});

test("each map leads to sources that are there, and a stack names them", () => {
  for (const name of modules) {
    assert.match(read(name), new RegExp(`//# sourceMappingURL=${name}.map\\n$`));
    const { sources } = JSON.parse(read(`${name}.map`));
    assert.ok(sources.length > 0);
    for (const source of sources) assert.ok(existsSync(join(made, source)), `${name}: ${source}`);
  }
  const printed = run(`import { WatchWise } from "watchwise"; await WatchWise.open({}).catch(error => console.log(error.stack));`, "--enable-source-maps");
  assert.match(printed, /src\/watchwise\.js:\d+/);
});

test("Node finds the entries by their names", () => {
  const printed = run(`
    import * as all from "watchwise";
    import * as live from "watchwise/live";
    import { SQLiteStore } from "watchwise/sqlite";
    import { WatchWiseInbox } from "watchwise/elements"; // as a page that is made on a server does
    import about from "watchwise/package.json" with { type: "json" };
    console.log(Object.keys(all).join(), Object.keys(live).join(), typeof SQLiteStore, typeof WatchWiseInbox, about.name, import.meta.resolve("watchwise/worker").endsWith("/watchwise-worker.js"));
  `);
  assert.equal(printed, "WatchWise,WatchWiseError WatchWise,WatchWiseError function function watchwise true\n");
  assert.equal(run(chat("watchwise")), "bundled\n");
});

test("Node keeps a file by the package", () => {
  const open = `import { WatchWise } from "watchwise";
    const ww = await WatchWise.open({ server: ${JSON.stringify(server.address)}, user: "alice", token: async () => ${JSON.stringify(server.token("alice"))}, storage: "file.db", connect: false });`;
  run(`${open} await ww.topics.follow("person:7").kept; await ww.close();`);
  assert.equal(run(`${open} console.log(ww.outbox.list()[0].command.topic); await ww.close();`), "person:7\n");
});

/** The bundle of the application's entry, as files by their names. */
const bundlers = {
  esbuild: (entry, to) => {
    const { stderr } = spawnSync("esbuild", [entry, "--bundle", "--format=esm", "--splitting", "--minify", "--log-level=info", `--outdir=${to}`, "--out-extension:.js=.mjs"], { encoding: "utf8" });
    return stderr;
  },
  rollup: (entry, to) => {
    writeFileSync(join(app, "rollup.config.mjs"), `
      // The part of Rollup's plugin for packages that is needed here: Debian's does not go with each Node.
      import { fileURLToPath } from "node:url";
      const resolve = { name: "packages", resolveId: name => name.startsWith("watchwise") ? fileURLToPath(import.meta.resolve(name)) : null };
      export default { input: ${JSON.stringify(entry)}, plugins: [resolve], output: { dir: ${JSON.stringify(to)}, format: "es", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" } };`);
    const { stderr } = spawnSync("rollup", ["-c", join(app, "rollup.config.mjs")], { encoding: "utf8", cwd: app });
    return stderr;
  },
};

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`${name} bundles it without a warning: the parts are files of their own, and a chat works`, { skip: !has(name) && `${name} is not installed` }, () => {
    const [entry, to] = [join(app, `${name}-entry.js`), join(app, `${name}-bundle`)];
    writeFileSync(entry, chat("watchwise"));
    const said = bundle(entry, to);
    assert.doesNotMatch(said, /warn|error/i, said);
    const files = readdirSync(to);
    for (const part of ["writes", "push", "streams", "sqlite"]) assert.ok(files.some(file => file.startsWith(`watchwise-${part}`)), `${part}: ${files}`);
    const push = readFileSync(join(to, files.find(file => file.startsWith("watchwise-push"))), "utf8");
    assert.match(push, /new URL\("\.\/watchwise-worker\.js", ?import\.meta\.url\)/, "bundlers of assets look for these words");
    const { stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", join(to, `${name}-entry.mjs`)], { encoding: "utf8", timeout: 60_000 });
    assert.equal(stdout, "bundled\n", stderr);
  });
}

test("webpack bundles it without a warning, and copies the service worker", { skip: !has("webpack") && "webpack is not installed" }, () => {
  const [entry, to] = [join(app, "webpack-entry.js"), join(app, "webpack-bundle")];
  writeFileSync(entry, chat("watchwise"));
  // Not smaller, so that the worker can be known again.
  const options = { mode: "production", target: "node", context: app, entry, output: { path: to, filename: "main.cjs" }, optimization: { minimize: false }, experiments: { topLevelAwait: true } };
  writeFileSync(join(app, "webpack.config.mjs"), `export default ${JSON.stringify(options)};`);
  const { stdout: said, stderr: wrong, status: made } = spawnSync("webpack", ["--config", join(app, "webpack.config.mjs")], { encoding: "utf8", cwd: app });
  assert.equal(made, 0, said + wrong);
  assert.doesNotMatch(said, /warning|error/i);
  assert.ok(readdirSync(to).some(name => readFileSync(join(to, name), "utf8") === read("watchwise-worker.js")), "the worker");
  const { stdout, stderr } = spawnSync(process.execPath, ["--no-warnings", join(to, "main.cjs")], { encoding: "utf8", timeout: 60_000 });
  assert.equal(stdout, "bundled\n", stderr);
});

test("a bundle of the elements has the library once, and the words of each language are files of their own", { skip: !has("esbuild") && "esbuild is not installed" }, () => {
  const [entry, to] = [join(app, "elements.js"), join(app, "elements-bundle")];
  writeFileSync(entry, `import { WatchWise } from "watchwise"; import "watchwise/elements"; globalThis.WatchWise = WatchWise;`);
  assert.doesNotMatch(bundlers.esbuild(entry, to), /warn|error/i);
  const files = readdirSync(to).map(name => [name, readFileSync(join(to, name), "utf8")]);
  const having = text => files.filter(([, code]) => code.includes(text)).map(([name]) => name);
  assert.equal(having("no tab answers").length, 1, "the library");
  assert.equal(having("watchwise-inbox").length, 1, "importing it for its effect is not left out");
  for (const language of ["ar", "de", "el", "en", "it", "pl", "tr"]) assert.ok(files.some(([name]) => name.startsWith(`watchwise-words-${language}`)), language);
});

test("esbuild leaves out what is not used", { skip: !has("esbuild") && "esbuild is not installed" }, () => {
  const [entry, to] = [join(app, "none.js"), join(app, "none")];
  writeFileSync(entry, `import { WatchWise } from "watchwise"; import { WatchWise as Live } from "watchwise/live"; console.log("none");`);
  bundlers.esbuild(entry, to);
  assert.ok(readFileSync(join(to, "none.mjs"), "utf8").length < 200);
});

test("one file without splitting, for a page without modules", { skip: !has("esbuild") && "esbuild is not installed" }, () => {
  writeFileSync(join(app, "page.js"), `import { WatchWise } from "watchwise/live"; globalThis.opened = typeof WatchWise.open;`);
  const { stdout, stderr } = spawnSync("esbuild", [join(app, "page.js"), "--bundle", "--format=iife", "--log-level=error"], { encoding: "utf8" });
  assert.equal(stderr, "");
  const context = createContext({ TextEncoder, console });
  runInContext(stdout, context);
  assert.equal(context.opened, "function");
});

/** The global names that React Native has, of those which the library may look for. Its URL can neither be joined nor changed. */
function native() {
  const given = { console, setTimeout, clearTimeout, setInterval, clearInterval, queueMicrotask, performance, TextEncoder, atob, fetch, AbortController };
  // With the package react-native-get-random-values.
  const context = createContext({ ...given, crypto: { getRandomValues: array => crypto.getRandomValues(array) }, navigator: { product: "ReactNative" } });
  runInContext("globalThis.window = globalThis.self = globalThis;", context);
  return context;
}

/** What a module exports that is made as Metro makes it: CommonJS in a function, and no syntax that Hermes lacks. */
function required(name, context) {
  const { stdout, stderr, status } = spawnSync("esbuild", ["--format=cjs", "--target=es2018", "--log-level=error"], { encoding: "utf8", input: read(name) });
  assert.equal(status, 0, stderr);
  return runInContext(`(() => { const module = { exports: {} }; ((module, exports) => {${stdout}\n})(module, module.exports); return module.exports; })()`, context);
}

test("React Native parses its entry and the store: no import.meta, and nothing that is imported later", () => {
  for (const name of ["watchwise-native.js", "watchwise-sqlite.js"]) assert.ok(!/import\.meta|\bimport ?[("{*]|\brequire\(/.test(read(name)), name);
  // Metro knows literal paths; the browsers' entry has no others.
  for (const name of ["watchwise.js", "watchwise-live.js"]) {
    assert.ok(!read(name).includes("import.meta"), name);
    for (const [, path] of read(name).matchAll(/\bimport ?\(([^)]*)\)/g)) assert.match(path, /^"\.\/watchwise-[a-z]+\.js"$/, name);
  }
  assert.equal(about.exports["."]["react-native"], "./watchwise-native.js");
  assert.equal(Object.keys(about.exports["."]).indexOf("react-native"), 1, "before the others, after the types");
});

test("React Native keeps a chat in its SQLite: what was written without a network is sent at the next start", { skip: !has("esbuild") && "esbuild is not installed" }, async () => {
  const context = native();
  const { WatchWise } = required("watchwise-native.js", context);
  const { SQLiteStore } = required("watchwise-sqlite.js", context);
  const path = join(app, "native.db");
  // As expo-sqlite does: each statement is prepared, executed, and read to its end.
  const storage = () => {
    const database = new DatabaseSync(path);
    return new SQLiteStore({ exec: sql => database.exec(sql), query: (sql, values) => database.prepare(sql).all(...values), close: () => database.close() });
  };
  const open = more => WatchWise.open({ server: server.address, user: "alice", token: async () => server.token("alice"), webSocket: webSocket, storage: storage(), ...more });
  const first = await open({ connect: false });
  assert.equal((await first.chat({ with: "bob" }).send("from a phone").kept).durable, true);
  assert.equal(first.push.state, "unsupported");
  await assert.rejects(first.push.enable(), { code: "push-unsupported" });
  await first.close();
  const second = await open();
  assert.equal(second.device, first.device);
  await until(() => second.state.name === "live" && second.outbox.list().length === 0, "sent");
  await second.close();
  const third = await open({ connect: false });
  const seen = await new Promise(resolve => third.chat({ with: "bob" }).watch(({ items }) => items.length && resolve(items)));
  assert.equal(seen.at(-1).text, "from a phone");
  await third.close();
});

/** Bytes after `gzip -9`: what a file may have, which falls until it is at the goal. A change that needs more has to say so here. */
const LIMITS = JSON.parse(readFileSync(new URL("./sizes.json", import.meta.url), "utf8"));
for (const [about, { files, most, goal }] of Object.entries(LIMITS)) {
  test(`${about}: at most ${most} bytes`, t => {
    const bytes = files.map(name => gzipSync(read(name), { level: 9 }).length).reduce((sum, count) => sum + count);
    t.diagnostic(`${about}: ${bytes} bytes, the goal is ${goal}`);
    assert.ok(bytes <= most, `${bytes} bytes`);
  });
}
