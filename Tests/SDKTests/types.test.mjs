// The types, held by `tsc --strict`: uses by hand, right and wrong ones, and every command, answer and event as the AsyncAPI
// document of a server describes it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Server, folder } from "./served.mjs";

const place = join(folder, "typed");
let messages, server;
before(async () => {
  mkdirSync(place);
  cpSync(join(folder, "sdk"), join(place, "node_modules/watchwise"), { recursive: true });
  server = await new Server("types").start();
  ({ components: { messages } } = await (await fetch(`${server.address}/v1/asyncapi.json`)).json());
});
after(() => server.end());

function compile(name, text) {
  // This version of TypeScript (4.8) knows `exports` of packages by this resolution only.
  const file = join(place, name.replace(/\.ts$/, ".mts"));
  writeFileSync(file, text);
  const { stdout, status } = spawnSync("tsc", ["--noEmit", "--strict", "--target", "es2022", "--module", "node16", "--moduleResolution", "node16", "--lib", "es2022,dom", file], { encoding: "utf8", cwd: place });
  assert.equal(status, 0, stdout.slice(0, 4000));
}

const here = fileURLToPath(new URL("./types/", import.meta.url));
for (const name of readdirSync(here)) {
  test(`${name} compiles, and what is wrong in it does not`, () => compile(name, readFileSync(join(here, name), "utf8")));
}

/** All values of a schema that differ in their form: with all members and with those alone that must be there. */
function values(schema, isWhole) {
  if (schema.const !== undefined) return [schema.const];
  if (schema.anyOf) return schema.anyOf.flatMap(one => values(one, isWhole));
  if (schema.enum) return schema.enum;
  switch (schema.type) {
  case "string": return ["text"];
  case "integer": case "number": return [7];
  case "boolean": return [true];
  case "null": return [null];
  case "array": return [values(schema.items, isWhole)];
  case "object": {
    if (!schema.properties) return [schema.additionalProperties?.type || schema.additionalProperties?.anyOf ? { name: values(schema.additionalProperties, isWhole)[0] } : { a: 1 }];
    const names = Object.keys(schema.properties).filter(name => isWhole || schema.required?.includes(name));
    // Each form of one member, with the first form of the others.
    const firsts = Object.fromEntries(names.map(name => [name, values(schema.properties[name], isWhole)[0]]));
    return [firsts, ...names.flatMap(name => values(schema.properties[name], isWhole).slice(1).map(value => ({ ...firsts, [name]: value })))];
  }
  default: return [{ anything: [1, "a", null] }];
  }
}

const text = value => JSON.stringify(value);
const without = ({ id: _, ...rest }) => rest;
const unique = list => [...new Map(list.map(one => [text(one), one])).values()];

/** The uses of one type: all values, and wrong ones: without a member that it must have, and with one too many. */
function uses(type, schema, { isCommand = false } = {}) {
  const forms = schema.anyOf ?? [schema];
  const all = unique(forms.flatMap(form => [...values(form, true), ...values(form, false)]).map(value => isCommand ? without(value) : value));
  const lines = all.map(value => `use<${type}>(${text(value)});`);
  for (const form of forms) {
    const [least] = values(form, false).map(value => isCommand ? without(value) : value);
    // TypeScript takes anything where nothing is named.
    const named = Object.keys(form.properties ?? {}).filter(name => name !== "id" && name !== "type");
    if (named.length) lines.push(`// @ts-expect-error\nuse<${type}>(${text({ ...least, memberThatIsUnknown: 1 })});`);
    for (const name of forms.length === 1 ? form.required ?? [] : []) {
      const { [name]: _, ...rest } = least;
      lines.push(`// @ts-expect-error\nuse<${type}>(${text(rest)});`);
      lines.push(`// @ts-expect-error\nuse<${type}>({ ...${text(rest)}, ${text(name)}: () => 1 });`);
    }
  }
  return lines;
}

test("every command, answer and event has its type, which takes what the server's document takes, and no more", () => {
  const lines = ["import { Answers, CommandName, CommandOf, EventName, EventOf, WatchWise } from \"watchwise\";", "declare function use<T>(value: T): void;", "declare const ww: WatchWise;"];
  const names = { command: [], event: [] };
  for (const [name, { payload }] of Object.entries(messages)) {
    const [kind, ...rest] = name.split(".");
    const type = rest.join(".");
    names[kind]?.push(type);
    if (kind === "event") {
      lines.push(...uses(`EventOf<"${type}">`, payload), `ww.on("${type}", event => use<"${type}">(event.type));`);
    } else if (kind === "command") {
      lines.push(...uses(`CommandOf<"${type}">`, payload, { isCommand: true }));
      const [command] = values((payload.anyOf ?? [payload])[0], false).map(without);
      lines.push(`use<Promise<Answers["${type}"]>>(ww.request(${text(command)}));`);
    } else lines.push(...uses(`Answers["${type}"]`, payload.anyOf[0].properties.ok));
  }
  assert.ok(names.command.length > 45 && names.event.length > 25, text(names));
  // None is missing here that the types have.
  for (const [type, list] of [["CommandName", names.command], ["EventName", names.event]])
    lines.push(`use<Record<${type}, 1>>(${text(Object.fromEntries(list.map(name => [name, 1])))});`);
  assert.ok(lines.length > 1000, `${lines.length}`);
  compile("all.ts", lines.join("\n"));
});
