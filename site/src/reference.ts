import { fileURLToPath } from "node:url";
import type { ClassElement, TSSignature } from "oxc-parser";
import {
  findDeclarations,
  listTypeNames,
  readComment,
  readSource,
  type Declaration,
  type Span,
} from "./declarations.ts";
import { parseTsdoc } from "./tsdoc.ts";

/** A page of the reference: what it describes, by the names that an entry of the package exports. */
interface ReferencePage {
  readonly name: string;
  readonly title: string;
  readonly intro: string;
  readonly entry: string;
  /** A class with the names of the methods that the page describes, or another declaration. */
  readonly roots: readonly (
    | string
    | { readonly name: string; readonly methods: readonly string[] }
  )[];
}

export const referencePages: readonly ReferencePage[] = [
  {
    name: "configuration",
    title: "Options of the configuration",
    intro:
      "The options of `createServer` and `attachRouting`. [Configuration](../configuration.md) is a summary of them.",
    entry: "index.ts",
    roots: ["createConfig", "ServerConfig", "AppConfig"],
  },
  {
    name: "build",
    title: "Options of build",
    intro: "What a factory builds an [endpoint](../endpoints.md) from.",
    entry: "define/endpoint/endpoints-factory.ts",
    roots: [
      {
        name: "EndpointsFactory",
        methods: ["build", "buildVoid", "addMiddleware", "addContext", "use", "withResultHandler"],
      },
      ...["EndpointDefinition", "VoidEndpointDefinition", "HandlerArguments"],
    ],
  },
  {
    name: "middleware",
    title: "Options of Middleware",
    intro: "What a [middleware](../middlewares.md) is declared with.",
    entry: "define/endpoint/middleware.ts",
    roots: [
      { name: "Middleware", methods: ["constructor"] },
      ...["MiddlewareDefinition", "AroundDefinition", "ExpressMiddlewareOptions"],
    ],
  },
  {
    name: "ez",
    title: "The schemas of ez",
    intro: "`ez` has the schemas that Zod lacks, for the inputs and outputs of endpoints.",
    entry: "basics/schemas/ez.ts",
    roots: ["ez"],
  },
  {
    name: "client",
    title: "Options of the client",
    intro: "The options of [the client](../client.md), and of its calls.",
    entry: "describe/client/index.ts",
    roots: ["createClient", "ClientOptions", "CallOptions", "SubscribeOptions"],
  },
];

const fence = (code: string): string => `\`\`\`ts\n${code}\n\`\`\``;

/** What a comment says, as paragraphs. */
const describe = (comment: string): readonly string[] => {
  const doc = parseTsdoc(comment);
  const params = doc.params.map(({ name, text }) => `- \`${name}\`: ${text}`).join("\n");
  return [
    doc.description,
    params,
    doc.returns === undefined ? "" : `Returns ${doc.returns}.`,
    doc.defaultValue === undefined ? "" : `**Default:** ${doc.defaultValue}`,
    ...doc.throws.map((text) => `**Throws** ${text}`),
    ...doc.see.map((text) => `See ${text}.`),
    ...doc.examples.map(fence),
  ].filter((part) => part !== "");
};

type Member = TSSignature | ClassElement;

const toName = (file: string, member: Member): string =>
  "key" in member ? readSource(file, member.key) : "()";

/** A member as users write it; what matters only to those who read an option is left out. */
const toSignature = (file: string, member: Member): string => {
  const end =
    "value" in member && member.value && "body" in member.value ? member.value.body : null;
  const source = readSource(file, { start: member.start, end: end?.start ?? member.end });
  return source
    .replaceAll(/\breadonly (?=[\w$]+\??:)/g, "")
    .replace(/;$/, "")
    .replace(/^(\w+\?:.*?)\s*\|\s+undefined$/s, "$1")
    .replaceAll(/(\w\?: [^;{}]*?) \| undefined\b/g, "$1")
    .replace(/(^\w+\??:)\s+\| /, "$1 ")
    .replace(/(^\w+\??: )\((\(.*)\)$/s, "$1$2")
    .trim();
};

/** A signature whose type parameters and long type arguments are left out; editors show them where they matter. */
const abridge = (signature: string): string => {
  let result = "";
  let depth = 0;
  let group = "";
  for (const part of signature.split(/(=>|[<>])/)) {
    if (part === "<") depth += 1;
    if (depth === 0) result += part;
    else group += part;
    if (part !== ">" || (depth -= 1) > 0) continue;
    if (/^\w+$/.test(result)) group = "";
    result += group.includes("\n") ? "<…>" : group;
    group = "";
  }
  return result;
};

/** A heading, the signature and the comment of a member. */
const toSection = (file: string, member: Member): readonly string[] => [
  `### ${toName(file, member)}`,
  fence(toSignature(file, member)),
  ...describe(readComment(file, member)),
];

/** Types that users do not write out. */
const opaque = new Set([
  ...["AnyEndpoint", "AnyErrorMapping", "AnyResultHandler", "AnySchema", "GuardFactory"],
  ...["OtherKind", "Request", "Response", "Telemetry"],
]);

const toAnchor = (title: string): string => `#${title.toLowerCase().replaceAll(" ", "-")}`;

/** A member of a type that options mention, as an item of a list. */
const toItem = (file: string, member: Member): string => {
  const signature = toSignature(file, member).replaceAll(/\s+/g, " ");
  const parts = [`- \`${signature}\``, ...describe(readComment(file, member))];
  return parts.map((part) => part.replaceAll("\n", "\n  ")).join("\n\n  ");
};

/** A function, or a constant that holds one, without what it does. */
const toFunctionSource = ({ file, node }: Declaration): string => {
  const upTo = (from: Span, body: Span | null | undefined): string =>
    readSource(file, { start: from.start, end: body?.start ?? from.end })
      .replace(/\s*=>$/, "")
      .replace(/;$/, "")
      .trim();
  if (node.type === "FunctionDeclaration" || node.type === "TSDeclareFunction")
    return upTo(node, node.body).replace(/^function /, "");
  if (node.type !== "VariableDeclaration") return readSource(file, node);
  const [declarator] = node.declarations;
  if (declarator?.init?.type === "ArrowFunctionExpression")
    return upTo(declarator, declarator.init.body).replace(/^(\w+) = (?:async )?/, "$1");
  return declarator ? readSource(file, declarator.id) : "";
};

const isBody = ({ node }: Declaration): boolean => node.type === "FunctionDeclaration";

/** Overloads without the implementation that they share. */
const listOverloads = (found: readonly Declaration[]): readonly Declaration[] =>
  found.length > 1 ? found.filter((one) => !isBody(one)) : found;

const writeFunction = (name: string, found: readonly Declaration[]): readonly string[] => {
  const overloads = listOverloads(found);
  return [
    `### ${name}`,
    fence(overloads.map(toFunctionSource).join("\n")),
    ...describe(overloads.find(({ comment }) => comment !== "")?.comment ?? ""),
  ];
};

/** Begins a part that stands for links to types, which the page describes further down. */
const mark = "@types ";

/** Writes one page: its roots, what they extend, and the types that their options mention. */
class PageWriter {
  /** The names that the page describes, with their headings. */
  private readonly written = new Map<string, string>();
  private readonly mentioned: Declaration[] = [];

  write(page: ReferencePage): string {
    const entry = fileURLToPath(new URL(`../../src/${page.entry}`, import.meta.url));
    const sections = page.roots.flatMap((root) => {
      const { name, methods } = typeof root === "string" ? { name: root, methods: [] } : root;
      const found = findDeclarations(entry, name);
      if (found.length === 0) throw new Error(`src/${page.entry} has no ${name}`);
      return this.writeRoot(found, methods);
    });
    const types: string[] = [];
    for (const one of this.mentioned) types.push(...this.writeType(one));
    const more = types.length > 0 ? ["## Types", ...types] : [];
    const parts = [`# ${page.title}`, page.intro, ...sections, ...more].map((one) =>
      this.link(one),
    );
    return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  }

  private writeRoot(found: readonly Declaration[], methods: readonly string[]): readonly string[] {
    const [declaration] = found;
    if (!declaration || this.written.has(declaration.name)) return [];
    const { file, name, node, comment, isExported } = declaration;
    const title = isExported ? name : "Shared options";
    this.written.set(name, title);
    if (node.type === "TSInterfaceDeclaration") {
      const inherited = node.extends.flatMap(({ expression }) =>
        expression.type === "Identifier"
          ? this.writeRoot(findDeclarations(file, expression.name), [])
          : [],
      );
      const parents = node.extends.flatMap(({ expression }) => {
        const parent = expression.type === "Identifier" ? this.written.get(expression.name) : "";
        return parent ? [`[${parent}](${toAnchor(parent)})`] : [];
      });
      const more =
        parents.length > 0 ? [`It also has the options of ${parents.join(" and ")}.`] : [];
      const members = node.body.body.filter((one) => readComment(file, one) !== "");
      const own = members.flatMap((member) => [
        ...toSection(file, member),
        this.mention(declaration, member),
      ]);
      return [`## ${title}`, ...describe(comment), ...more, ...own, ...inherited];
    }
    if (node.type === "ClassDeclaration")
      return [`## ${name}`, ...describe(comment), ...this.writeMethods(found, methods)];
    const kind = node.type === "VariableDeclaration" ? node.declarations[0]?.id : undefined;
    const annotation =
      kind && "typeAnnotation" in kind ? kind.typeAnnotation?.typeAnnotation : null;
    if (annotation?.type === "TSTypeLiteral")
      return annotation.members.flatMap((member) => {
        const part = toName(file, member);
        const functions = findDeclarations(file, part);
        for (const one of functions) this.mention(one, one.node);
        return writeFunction(`${name}.${part}`, functions).map((line, index) =>
          index === 0 ? line.slice(1) : line,
        );
      });
    return writeFunction(name, found).map((line, index) => (index === 0 ? line.slice(1) : line));
  }

  private writeMethods(
    [declaration]: readonly Declaration[],
    methods: readonly string[],
  ): readonly string[] {
    if (declaration?.node.type !== "ClassDeclaration") return [];
    const { file, node } = declaration;
    const parent =
      node.superClass?.type === "Identifier" ? findDeclarations(file, node.superClass.name) : [];
    return methods.flatMap((method) => {
      const own = node.body.body.filter(
        (one) => "key" in one && toName(file, one) === method && readComment(file, one) !== "",
      );
      if (own.length === 0) return this.writeMethods(parent, [method]);
      return own.flatMap((one) => {
        const [heading = "", , ...rest] = toSection(file, one);
        return [heading, fence(abridge(toSignature(file, one))), ...rest];
      });
    });
  }

  /** Remembers the types that a part of a declaration mentions, and returns a mark in the place of links to them. */
  private mention(declaration: Declaration, within: Span): string {
    const names = listTypeNames(declaration, within).filter((name) => !opaque.has(name));
    for (const name of names) {
      const [found] = findDeclarations(declaration.file, name);
      if (found && !this.mentioned.includes(found)) this.mentioned.push(found);
    }
    return names.length > 0 ? `${mark}${names.join(" ")}` : "";
  }

  /** Replaces a mark by links to the types that the page describes. */
  private link(part: string): string {
    if (!part.startsWith(mark)) return part;
    const names = part.slice(mark.length).split(" ");
    const links = names.flatMap((name) => {
      const title = this.written.get(name);
      return title === undefined ? [] : [`[${name}](${toAnchor(title)})`];
    });
    return links.length > 0 ? `See ${links.join(", ")}.` : "";
  }

  private writeType(declaration: Declaration): readonly string[] {
    const { file, name, node, comment, isExported } = declaration;
    if (this.written.has(name) || comment === "" || !isExported) return [];
    if (node.type === "TSInterfaceDeclaration") {
      this.written.set(name, name);
      this.mention(declaration, node.body);
      const items = node.body.body.map((member) => toItem(file, member));
      return [`### ${name}`, ...describe(comment), items.join("\n\n")];
    }
    // with type parameters, it serves the compiler
    if (node.type !== "TSTypeAliasDeclaration" || node.typeParameters) return [];
    this.written.set(name, name);
    this.mention(declaration, node);
    return [`### ${name}`, fence(readSource(file, node)), ...describe(comment)];
  }
}

/** Returns the Markdown of a page of the reference, read from the comments and types of `src/`. */
export const writeReference = (page: ReferencePage): string => new PageWriter().write(page);
