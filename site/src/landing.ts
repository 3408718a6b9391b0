import { readFileSync } from "node:fs";
import { base } from "./addresses.ts";

const readme = new URL("../../README.md", import.meta.url);

const features: readonly {
  readonly title: string;
  readonly page: string;
  readonly text: string;
}[] = [
  {
    title: "One input",
    page: "input",
    text: "Query, path, body, uploads, headers and cookies become one validated object.",
  },
  {
    title: "Typed errors",
    page: "results-and-errors",
    text: "What an endpoint declares it throws, and clients know it by its code.",
  },
  {
    title: "Typed client",
    page: "client",
    text: "Inferred from the routing map, or generated as a file without dependencies.",
  },
  {
    title: "OpenAPI documents",
    page: "openapi",
    text: "Written from the schemas that check each request and each response.",
  },
  {
    title: "Express packages",
    page: "express",
    text: "Middlewares written for Express work, with typed context.",
  },
  {
    title: "Streams and channels",
    page: "channels",
    text: "Published events that event streams send, and that clients resume.",
  },
  {
    title: "Tests without a server",
    page: "testing",
    text: "The same code as for a real request, down to the bytes sent.",
  },
  {
    title: "Ready for production",
    page: "production",
    text: "Health, drain, OpenTelemetry, rate limits, idempotency keys and a checklist.",
  },
];

/** Returns the landing page, whose sentence, figures and code are those of README.md. */
export const writeLanding = (): string => {
  const text = readFileSync(readme, "utf8");
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(text)?.[1];
    if (found === undefined) throw new Error(`README.md has nothing that matches ${pattern}`);
    return found;
  };
  const [title = "", tagline = ""] = find(/^\*\*(.+?)\*\*$/m).split(/: (.*)/);
  const lead = `${tagline.charAt(0).toUpperCase()}${tagline.slice(1)}`;
  const command = find(/^ {4}(npm create .+)$/m);
  const code = find(/^(```ts file=server\.ts\n.*?\n```)$/ms);
  const figures = find(/\n\n(- \*\*.+?)\n\n```/s)
    .split(/^- /m)
    .slice(1);
  if (figures.length !== 3) throw new Error("README.md must begin with three figures");
  const cards = figures.map((figure) => {
    const [, name = "", rest = ""] = /^\*\*(.+?)\*\*:?(.*)$/s.exec(figure) ?? [];
    const card = `${rest.trim().charAt(0).toUpperCase()}${rest.trim().slice(1)}`;
    return `<div>\n\n**${name}**\n\n${card.replaceAll("](docs/", "](")}\n\n</div>`;
  });
  const items = features.map(
    (one) => `<div>\n\n[${one.title}](${one.page}.md)\n\n${one.text}\n\n</div>`,
  );
  const frontmatter = { layout: "home", editLink: false, title, description: lead };
  const actions = [
    "[Get started](getting-started.md)",
    `[An API made with it](${base}shop/){target=_self}`,
  ];
  return [
    `---\n${JSON.stringify(frontmatter)}\n---`,
    `<div class="hero">\n\n<div>\n\n# ${title}\n\n${lead}`,
    `\`\`\`sh\n${command}\n\`\`\``,
    `<div class="actions">\n\n${actions.join("\n")}\n\n</div>\n\n</div>`,
    `<div>\n\n${code}\n\n</div>\n\n</div>`,
    `<div class="cards figures">\n\n${cards.join("\n\n")}\n\n</div>`,
    "## What you get",
    `<div class="cards">\n\n${items.join("\n\n")}\n\n</div>`,
    "",
  ].join("\n\n");
};
