import type { AppFacts } from "./source-editor.ts";

interface Difference {
  readonly text: string;
  /** The last major version of express-zod-api that it concerns; all if undefined. */
  readonly until?: number;
}

/** What clients of the application notice, although its code means the same. */
export const allDifferences: readonly Difference[] = [
  { text: "Paths are case-sensitive, unless `caseSensitive: false` is set." },
  {
    text: "The texts of 404, of 405 and of malformed JSON differ; errors of the framework have a `code`.",
  },
  {
    text: "Invalid input: `error.issues` lists the fields beside `error.message`; the messages are Zod's.",
  },
  { text: "An array as a JSON body is rejected with 400." },
  {
    text: "A body of a type that the endpoint does not accept, such as `text/plain`, is rejected with 415.",
  },
  {
    text: "Forms that browsers send from other sites are rejected with 403, unless `cors` allows the site.",
  },
  {
    text: "Bodies over 1 MiB, JSON of more than 20,000 values, and files over 10 MiB are rejected with 413.",
  },
  { text: "`ez.dateIn()` says in other words what is wrong with a date." },
  { text: "As an input source, `headers` has only the fields that begin with `x-`." },
  {
    text: "A path without an endpoint for the method is answered with 405 instead of 404, unless `wrongMethodBehavior: 404` is set.",
    until: 22,
  },
  { text: 'Brackets in queries are literal, unless `queryParser: "extended"` is set.', until: 22 },
  {
    text: "`z.string().uuid()` of Zod 4 accepts only UUIDs of RFC 9562; `z.guid()` accepts any.",
    until: 23,
  },
  { text: "Messages of Zod 4 replace those of Zod 3.", until: 23 },
];

export const listDifferences = ({ major }: Pick<AppFacts, "major">): readonly string[] =>
  allDifferences
    .filter(({ until }) => until === undefined || major === undefined || major <= until)
    .map(({ text }) => text);
