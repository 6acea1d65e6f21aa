// Writes vectors: fills in `out` and `deadline` of the steps that have none, as the JavaScript machines act. Read what it
// wrote: it is what the machines do, which need not be what they shall do.
//   node Tests/SDKTests/record.mjs FILE.jsonl [--again]     --again also rewrites those that have them
import { readFileSync, writeFileSync } from "node:fs";
import { machines } from "./machines.mjs";

const [file, again] = process.argv.slice(2);
let machine;
const lines = readFileSync(file, "utf8").trimEnd().split("\n").map(line => {
  const step = JSON.parse(line);
  if (step.about) {
    let drawn = 0;
    machine = new machines[step.machine](step.configuration, () => step.random[drawn++ % step.random.length]);
    return line;
  }
  const out = JSON.parse(JSON.stringify(machine.step(structuredClone(step.in), step.at)));
  if (step.out && !again) return line;
  return JSON.stringify({ at: step.at, in: step.in, out, ...(machine.deadline !== undefined && { deadline: machine.deadline }) });
});
writeFileSync(file, `${lines.join("\n")}\n`);
