import { isJsonType } from "./body-type.ts";
import { toFinding, type Finding } from "./check.ts";
import type { Received } from "./received.ts";

/** Checks what holds for each reply, whatever is declared. */
export const checkAnyReply = (received: Received): readonly Finding[] => [
  ...checkStatus(received),
  ...checkCharset(received),
  ...checkTrace(received),
];

const checkStatus = ({ status }: Received): readonly Finding[] =>
  status < 500
    ? []
    : [
        toFinding(
          "not_a_server_error",
          `The reply is a ${status}.`,
          "assert.ok(response.status < 500);",
        ),
      ];

const isText = (type: string): boolean => type.startsWith("text/") || isJsonType(type);

const checkCharset = ({ headers, type, isUtf8 }: Received): readonly Finding[] => {
  if (!isText(type)) return [];
  const [, charset = "utf-8"] =
    /;\s*charset="?([^\s;"]+)/i.exec(headers.get("content-type") ?? "") ?? [];
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset))
    return [
      toFinding(
        "charset",
        `The charset of the reply is ${charset}, not utf-8.`,
        'assert.match(response.headers.get("content-type"), /charset=utf-8/i);',
      ),
    ];
  if (isUtf8) return [];
  return [
    toFinding(
      "charset",
      "The body is not valid UTF-8.",
      'new TextDecoder("utf-8", { fatal: true }).decode(await response.arrayBuffer());',
    ),
  ];
};

/** What programs print of the place of an error: Node.js, Python, the JVM, .NET. */
const frames = [
  /(?:\b|\\t)at [^\n"]{1,200} \((?:file:\/\/|node:|\/|[A-Z]:\\)[^\n"()]*:\d+:\d+\)/,
  /(?:\b|\\t)at (?:async )?(?:file:\/\/|\/|[A-Z]:\\)[^\s"()]*\.[cm]?[jt]sx?:\d+:\d+/,
  /Traceback \(most recent call last\)/,
  /(?:\b|\\t)at [\w.$<>]+\([\w$]+\.(?:java|kt|scala):\d+\)/,
  /(?:\b|\\t)at [\w.`<>]+\([^\n)]*\) in \S+:line \d+/,
];

/** Looks for what tells strangers how the application is built. */
const checkTrace = ({ status, type, text }: Received): readonly Finding[] => {
  if (!isText(type)) return [];
  const patterns = status < 400 ? frames : [...frames, /\bnode_modules[\\/]/];
  const found = patterns.map((one) => one.exec(text)?.[0]).find((one) => one !== undefined);
  if (found === undefined) return [];
  return [
    toFinding(
      "stack_trace",
      "The body has a stack trace, or the path of a module.",
      `assert.ok(!(await response.text()).includes(${JSON.stringify(found)}));`,
    ),
  ];
};
