import type { Sent } from "./call.ts";
import type { Received } from "./received.ts";

/** A request with its reply. */
export interface Exchange {
  readonly sent: Sent;
  readonly received: Pick<Received, "status" | "headers" | "json"> | undefined;
  /** Whether it was sent together with the next one. */
  readonly isTogether?: boolean;
  /** What the fixture has sent before it. */
  readonly before?: readonly Exchange[];
}

/** What a request takes from an earlier reply. */
export interface Taken {
  /** The name of the value in the test. */
  readonly name: string;
  /** The number of the step with the reply, from 1. */
  readonly step: number;
  /** Where the reply has it, such as `body.data.id` or `headers.etag`. */
  readonly place: string;
  readonly value: string;
}

/** A request of a failure. */
export interface Step {
  readonly request: Sent;
  /** The status of the reply; 0 if there was none. */
  readonly status: number;
  /** What it takes from the replies before it. */
  readonly takes: readonly Taken[];
  /** Whether it was sent together with the next one. */
  readonly isTogether: boolean;
}

/** Finds what each request takes from the replies before it. */
export const toSteps = (exchanges: readonly Exchange[]): readonly Step[] => {
  const known = new Map<string, Taken>();
  const names = new Set<string>();
  return exchanges.map(({ sent, received, isTogether = false }, at) => {
    const takes = [...known.values()].filter(({ value }) => has(sent, value));
    // what a reply repeats was known before it
    for (const { place, value } of listValues(received))
      if (!known.has(value) && !has(sent, value)) {
        const name = toName(place, names);
        names.add(name);
        known.set(value, { name, step: at + 1, place, value });
      }
    return { request: sent, status: received?.status ?? 0, takes, isTogether };
  });
};

/** Whether a request contains a value of a reply: a long one anywhere, a short one as a segment of the path. */
export const has = ({ url, headers, body = "" }: Sent, value: string): boolean => {
  // words, such as the type of a token, come again by chance
  if (value.length < 16 && /^\p{L}*$/u.test(value)) return false;
  const [path = ""] = url.split("?", 1);
  const encoded = encodeURIComponent(value);
  return value.length < 4
    ? path.split("/").includes(encoded)
    : [url, body, ...Object.values(headers)].some(
        (text) => text.includes(value) || text.includes(encoded),
      );
};

interface Value {
  readonly place: string;
  readonly value: string;
}

/** Lists the values of a reply that another request may need. */
export const listValues = (received: Exchange["received"]): readonly Value[] => {
  if (!received) return [];
  const cookies = received.headers.getSetCookie().map((cookie) => {
    const [pair = ""] = cookie.split(";", 1);
    return pair;
  });
  return [
    ...listLeaves(received.json, "body"),
    ...["etag", "location"].flatMap((name) => {
      const value = received.headers.get(name);
      return value === null ? [] : [{ place: `headers.${name}`, value }];
    }),
    ...cookies.map((value, at) => ({ place: `cookies.${at}`, value })),
  ].filter(({ value }) => value !== "");
};

const listLeaves = (json: unknown, place: string): readonly Value[] => {
  if (typeof json === "string" || typeof json === "number") return [{ place, value: String(json) }];
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json)
    .slice(0, 100)
    .flatMap(([key, one]) => listLeaves(one, `${place}.${key}`));
};

/** Names that a test has already, or must not use. */
const reserved = new Set([
  ...["assert", "before", "body", "class", "config", "default", "delete", "fetch", "headers"],
  ...["import", "in", "new", "package", "response", "routing", "test", "testServer", "this"],
]);

const toName = (place: string, names: ReadonlySet<string>): string => {
  const words = place.split(".").filter((one) => /^[a-z_$][\w$]*$/i.test(one));
  const last = words.at(-1) ?? "value";
  const name = last === "cookies" ? "cookie" : reserved.has(last) ? `${last}Value` : last;
  const others = Array.from({ length: names.size + 1 }, (_, at) => `${name}${at + 2}`);
  return [name, ...others].find((one) => !names.has(one)) ?? name;
};

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Writes a request as a command. */
const toCommand = ({ method, url, headers, body }: Sent, origin: string): string =>
  [
    `curl ${method === "HEAD" ? "-I" : `-X ${method}`} ${quote(`${origin}${url}`)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quote(body)}`]),
  ].join(" ");

/** Writes requests as commands, one a line. */
export const toCurl = (steps: readonly Step[], origin: string): string =>
  steps
    .map(({ request, takes, isTogether }, at) => {
      const command = `${toCommand(request, origin)}${isTogether ? " &" : ""}`;
      if (takes.length === 0) return command;
      const given = takes.map(({ value, step, place }) => `${value} is ${place} of reply ${step}`);
      return `# ${at + 1}: ${given.join(", ")}\n${command}`;
    })
    .join("\n");

/** Writes requests as a test for Node's runner; the last reply is `response`, and the one before it `before`. */
export const toTest = (
  steps: readonly Step[],
  { name, expectation, origin }: { name: string; expectation: string; origin: string | undefined },
): string => {
  const used = new Map(steps.flatMap(({ takes }) => takes.map((one) => [one.name, one])));
  const needsBefore = /\bbefore\b/.test(expectation);
  const nameOf = (at: number): string => {
    if (at === steps.length - 1) return "response";
    return at === steps.length - 2 && needsBefore ? "before" : `step${at + 1}`;
  };
  const lines = steps.flatMap((step, at) => {
    const own = [...used.values()].filter((one) => one.step === at + 1);
    const isRead = own.length > 0 || nameOf(at) !== `step${at + 1}`;
    const request = toRequest(step, origin ?? "");
    const previous = steps[at - 1];
    if (step.isTogether) return [];
    const sent = previous?.isTogether
      ? `const [${nameOf(at - 1)}, ${nameOf(at)}] = await Promise.all([\n${indent(toRequest(previous, origin ?? ""))},\n${indent(request)},\n]);`
      : `${isRead ? `const ${nameOf(at)} = ` : ""}await ${request};`;
    return [sent, ...toReads(own, nameOf(at), at + 1)];
  });
  const start =
    origin === undefined ? ["const { fetch } = await testServer(config, routing);"] : [];
  const body = indent([...start, ...lines, expectation].join("\n"));
  return `test(${JSON.stringify(name)}, async () => {\n${body}\n});`;
};

const indent = (text: string): string => text.replaceAll(/^/gm, "  ");

/** Writes how values are read from a reply. */
const toReads = (taken: readonly Taken[], response: string, step: number): readonly string[] => {
  const isBody = taken.some(({ place }) => place.startsWith("body"));
  return [
    ...(isBody ? [`const reply${step} = await ${response}.clone().json();`] : []),
    ...taken.map(({ name, place }) => {
      const [kind, ...keys] = place.split(".");
      if (kind === "headers")
        return `const ${name} = ${response}.headers.get(${JSON.stringify(keys[0])});`;
      if (kind === "cookies")
        return `const ${name} = ${response}.headers.getSetCookie()[${keys[0]}].split(";")[0];`;
      return `const ${name} = reply${step}${keys.map((key) => `[${/^\d+$/.test(key) ? key : JSON.stringify(key)}]`).join("")};`;
    }),
  ];
};

const toRequest = ({ request, takes }: Step, origin: string): string => {
  const { method, url, headers, body } = request;
  const fields = Object.entries(headers).map(
    ([name, value]) => `${JSON.stringify(name)}: ${toTemplate(value, takes)}`,
  );
  return `fetch(${toTemplate(`${origin}${url}`, takes, true)}, {
  method: ${JSON.stringify(method)},
  headers: {${fields.length > 0 ? ` ${fields.join(", ")} ` : ""}},${body === undefined ? "" : `\n  body: ${toTemplate(body, takes)},`}
})`;
};

/** Writes text as a string, or as a template with what was taken. */
const toTemplate = (text: string, takes: readonly Taken[], isUrl = false): string => {
  const found = takes
    .flatMap(({ name, value }) => [
      { name, value },
      ...(isUrl ? [{ name: `encodeURIComponent(${name})`, value: encodeURIComponent(value) }] : []),
    ])
    .filter(({ value }) => text.includes(value) && (isUrl || value.length >= 4))
    // the longest one stands for those within it
    .toSorted((one, other) => other.value.length - one.value.length);
  if (found.length === 0) return JSON.stringify(text);
  const sources = found.map(({ value }) => {
    const literal = value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    return value.length < 4 ? `(?<=/)${literal}(?=[/?]|$)` : literal;
  });
  const pattern = new RegExp(sources.join("|"), "g");
  const parts = text.split(pattern).map((one) => one.replaceAll(/[\\`]|\$\{/g, String.raw`\$&`));
  const names = [...text.matchAll(pattern)].map(([value]) =>
    found.find((one) => one.value === value),
  );
  return `\`${parts.map((part, at) => (at === 0 ? part : `\${${names[at - 1]?.name}}${part}`)).join("")}\``;
};
