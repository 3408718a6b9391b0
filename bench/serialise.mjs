// npm run bench:serialise: measures whether a serialiser generated from the output schema could beat compiled validation and JSON.stringify.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { median } from "./measure.mjs";
import { createPage, createSchemas } from "./workloads.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "15" },
    help: { type: "boolean", default: false },
  },
});

// The best case for a serialiser, written by hand for one schema: a compiler could not generate a faster one.

const quote = (text) => {
  if (text.length > 64) return JSON.stringify(text);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // JSON escapes control characters, quotes, backslashes and lone surrogates
    if (code < 32 || code === 34 || code === 92 || (code >= 0xd800 && code <= 0xdfff))
      return JSON.stringify(text);
  }
  return `"${text}"`;
};
const fail = () => {
  throw new Error("The value does not fit the schema");
};
const text = (value) => (typeof value === "string" ? quote(value) : fail());
const int = (value) => (Number.isSafeInteger(value) ? `${value}` : fail());
const boolean = (value) => (typeof value === "boolean" ? `${value}` : fail());
const emailPattern = z.regexes.email;
const email = (value) =>
  typeof value === "string" && emailPattern.test(value) ? quote(value) : fail();
const list = (values, write) => {
  if (!Array.isArray(values)) fail();
  let result = "[";
  for (let index = 0; index < values.length; index++)
    result += (index > 0 ? "," : "") + write(values[index]);
  return `${result}]`;
};
const user = ({ id, name, email: address, active, address: place, tags }) =>
  `{"id":${int(id)},"name":${text(name)},"email":${email(address)},"active":${boolean(active)},"address":{"street":${text(place.street)},"city":${text(place.city)},"zip":${text(place.zip)}},"tags":${list(tags, text)}}`;

const wideNames = Array.from({ length: 60 }, (_, index) => `field${index}`);
const isText = (index) => index % 3 !== 0;
const wide = Object.fromEntries(
  wideNames.map((name, index) => [name, isText(index) ? `some text, number ${index}` : index]),
);
// oxlint-disable-next-line typescript/no-implied-eval -- a schema compiler would create its functions this way
const writeWide = new Function(
  "text",
  "int",
  `return (value) => "{" + ${wideNames
    .map(
      (name, index) =>
        `'${index > 0 ? "," : ""}"${name}":' + ${isText(index) ? "text" : "int"}(value.${name})`,
    )
    .join(" + ")} + "}"`,
)(text, int);

const { listOutput, getOutput } = createSchemas(z);
const page = createPage(20, 0);
const cases = {
  "get (1 user)": { schema: getOutput, value: page.users[0], write: user },
  "list (20 users)": {
    schema: listOutput,
    value: page,
    write: ({ users, total, limit, offset }) =>
      `{"users":${list(users, user)},"total":${int(total)},"limit":${int(limit)},"offset":${int(offset)}}`,
  },
  "wide (60 fields)": {
    schema: z.object(
      Object.fromEntries(
        wideNames.map((name, index) => [name, isText(index) ? z.string() : z.number().int()]),
      ),
    ),
    value: wide,
    write: writeWide,
  },
};

const buffer = Buffer.alloc(65_536);
/** Measures and copies a body, as a server does before writing it to a socket. */
const send = (body) => Buffer.byteLength(body) + buffer.write(body);

/** Returns the average time that a function takes per call, in microseconds. */
const time = (turn, turns) => {
  const begin = performance.now();
  for (let index = 0; index < turns; index++) turn();
  return ((performance.now() - begin) * 1000) / turns;
};

const main = () => {
  if (values.help) {
    process.stdout.write(
      "npm run bench:serialise -- [NODE...]: compares compiled validation plus JSON.stringify with a hand-written serialiser that also validates.\n\n  --rounds 15\n",
    );
    return;
  }
  if (positionals.length > 0) {
    for (const node of positionals)
      spawnSync(node, [fileURLToPath(import.meta.url), "--rounds", values.rounds], {
        stdio: "inherit",
      });
    return;
  }
  process.stdout.write(`Node.js ${process.version}, microseconds per body\n`);
  for (const [name, { schema, value, write }] of Object.entries(cases)) {
    const hot = z.compile(schema);
    const native = () => send(JSON.stringify(hot._zod.run({ value, issues: [] }, {}).value));
    const own = () => send(write(value));
    if (write(value) !== JSON.stringify(hot.parse(value)))
      throw new Error(`The output of the serialiser differs for ${name}`);
    const [natives, owns] = [[], []];
    for (let round = 0; round <= Number(values.rounds); round++) {
      const [one, other] = [time(native, 5000), time(own, 5000)];
      if (round === 0) continue;
      natives.push(one);
      owns.push(other);
    }
    process.stdout.write(
      `  ${name.padEnd(18)} ${median(natives).toFixed(2).padStart(6)} with validation and JSON.stringify      ${median(owns).toFixed(2).padStart(6)} with a serialiser that validates   saved  ${(median(natives) - median(owns)).toFixed(2)}\n`,
    );
  }
};

main();
