// Plays Tests/SessionVectors: the same runs that the Swift machines play.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { machines } from "./machines.mjs";

const folder = new URL("../SessionVectors/", import.meta.url);

for (const file of readdirSync(folder).filter(name => name.endsWith(".jsonl")).sort()) {
  const runs = [];
  for (const [index, line] of readFileSync(new URL(file, folder), "utf8").trimEnd().split("\n").entries()) {
    const step = { ...JSON.parse(line), line: index + 1 };
    if (step.about) runs.push({ ...step, steps: [] });
    else runs.at(-1).steps.push(step);
  }
  for (const run of runs) test(`${file}: ${run.about}`, () => play(run, file));
}

function play({ machine: kind, configuration, random, steps }, file) {
  let drawn = 0;
  const machine = new machines[kind](configuration, () => random[drawn++ % random.length]);
  for (const { at, in: input, out, deadline, line } of steps) {
    // Through text, as a device would have it: nothing shared with the machine, no member that JSON has not.
    const actions = JSON.parse(JSON.stringify(machine.step(structuredClone(input), at)));
    assert.deepEqual(actions, out, `${file}:${line}`);
    if (deadline !== undefined) assert.equal(machine.deadline, deadline, `${file}:${line}: deadline`);
  }
}
