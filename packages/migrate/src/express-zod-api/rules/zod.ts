import {
  Node,
  SyntaxKind,
  type ImportDeclaration,
  type Node as AnyNode,
  type TypeReferenceNode,
} from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, removeElement, replace, type SourceEditor } from "../source-editor.ts";
import {
  chainNames,
  chainRoot,
  initializerOf,
  isOldModule,
  methodCalls,
  objectArgument,
  property,
  toObject,
  valueOf,
} from "../syntax.ts";
import { resolveImport } from "../users.ts";

/** Returns the calls of functions of `z` itself, such as `z.string()`. */
const zodCalls = (editor: SourceEditor, ...names: readonly string[]) =>
  methodCalls(editor.source, ...names).filter(({ object }) => object.getText() === "z");

const forZod3 = (rule: Rule): Rule => ({
  ...rule,
  apply: (editor) => {
    if (editor.facts.isZod3) rule.apply(editor);
  },
});

const imports: Rule = {
  id: "zod-import",
  from: "`zod/v4`, `zod/v3`",
  to: "`zod`",
  kind: "rewritten",
  apply: (editor) => {
    for (const one of editor.source.getImportDeclarations()) {
      const specifier = one.getModuleSpecifier();
      if (!/^zod\/v[34]$/.test(specifier.getLiteralText())) continue;
      const quote = specifier.getText().slice(0, 1);
      editor.change(replace(specifier, `${quote}zod${quote}`));
    }
  },
};

const coerce = forZod3({
  id: "zod-coerce",
  from: "`z.number({ coerce: true })`",
  to: "`z.coerce.number()`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, object } of zodCalls(
      editor,
      "string",
      "number",
      "boolean",
      "bigint",
      "date",
    )) {
      const options = objectArgument(call);
      const element = property(options, "coerce");
      if (!options || valueOf(element)?.getText() !== "true" || !element) continue;
      const rest =
        options.getProperties().length === 1 ? replace(options, "") : removeElement(element);
      editor.change(replace(object, "z.coerce"), rest);
    }
  },
});

const descriptions = forZod3({
  id: "zod-descriptions",
  from: "`z.string({ description: text })`",
  to: "`z.string().describe(text)`",
  kind: "rewritten",
  apply: (editor) => {
    for (const call of editor.source.getDescendantsOfKind(SyntaxKind.CallExpression)) {
      if (!/^z\s*\.\s*(?:coerce\s*\.\s*)?\w+$/.test(call.getExpression().getText())) continue;
      const options = call
        .getArguments()
        .map((one) => toObject(one))
        .at(-1);
      const element = property(options, "description");
      const value = valueOf(element);
      const isParams = !/^z\.(?:object|enum|nativeEnum|strictObject|looseObject)$/.test(
        call.getExpression().getText(),
      );
      if (!options || !element || !value || (!isParams && call.getArguments().length < 2)) continue;
      const isAlone = options.getProperties().length === 1;
      const drop = isAlone ? removeElement(options) : removeElement(element);
      editor.change(drop, between(call.getEnd(), call.getEnd(), `.describe(${value.getText()})`));
    }
  },
});

const errors = forZod3({
  id: "zod-errors",
  from: "`required_error`, `invalid_type_error`; `errorMap`",
  to: "`error`; a mark for `errorMap`, whose argument has changed",
  kind: "both",
  apply: (editor) => {
    // texts of a page, say, may have the same names
    if (!/\bz\s*\./.test(editor.source.getText())) return;
    for (const object of editor.source.getDescendantsOfKind(SyntaxKind.ObjectLiteralExpression)) {
      const required = property(object, "required_error");
      const invalid = property(object, "invalid_type_error");
      const map = property(object, "errorMap");
      if (map && chainRoot(object.getParentOrThrow()).getText() === "z")
        editor.mark(map, "Zod 4 has `error`, a function that receives the issue.", "zod");
      if (!required && !invalid) continue;
      const texts = [required, invalid].map((one) => valueOf(one)?.getText());
      const [missing = "undefined", wrong = "undefined"] = texts;
      const others = object
        .getProperties()
        .filter((one) => one !== required && one !== invalid)
        .map((one) => one.getText());
      const error = `error: (issue) => (issue.input === undefined ? ${missing} : ${wrong})`;
      editor.change(replace(object, `{ ${[...others, error].join(", ")} }`));
    }
  },
});

const records = forZod3({
  id: "zod-records",
  from: "`z.record(value)`; `z.record(z.enum([…]), value)`",
  to: "`z.record(z.string(), value)`; `z.partialRecord(…)`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, name } of zodCalls(editor, "record")) {
      const [first, second] = call.getArguments();
      if (!first) continue;
      if (!second) editor.change(replace(first, `z.string(), ${first.getText()}`));
      else if (/^z\.(?:enum|nativeEnum)\(/.test(first.getText()))
        editor.change(replace(name, "partialRecord"));
    }
  },
});

/** Checks whether a name is known to be no schema: one of a namespace, or of a file that does not use Zod. */
const isForeign = (editor: SourceEditor, root: Node): boolean => {
  const { source, facts } = editor;
  const name = root.getText();
  if (source.getModule(name) ?? source.getEnum(name)) return true;
  const origin = source.getImportDeclarations().find((one) => importedNames(one).includes(name));
  if (origin) {
    const module = origin.getModuleSpecifierValue();
    if (module === "zod" || isOldModule(module)) return false;
    const file = resolveImport(source.getProject(), module, source.getFilePath());
    return file ? !facts.users.ofZod.has(file) : !module.startsWith(".");
  }
  const value = initializerOf(root);
  const next = value && chainRoot(value);
  return next !== undefined && next.getText() !== name && isForeign(editor, next);
};

const importedNames = (declaration: ImportDeclaration): readonly string[] =>
  [
    declaration.getDefaultImport(),
    declaration.getNamespaceImport(),
    ...declaration.getNamedImports().map((one) => one.getAliasNode() ?? one.getNameNode()),
  ].flatMap((one) => one?.getText() ?? []);

const enums = forZod3({
  id: "zod-enums",
  from: "`z.nativeEnum(Role)`, `schema.Enum`",
  to: "`z.enum(Role)`, `schema.enum`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { name } of zodCalls(editor, "nativeEnum")) editor.change(replace(name, "enum"));
    for (const access of editor.source.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression))
      if (
        access.getName() === "Enum" &&
        Node.isPropertyAccessExpression(access.getParent()) &&
        !isForeign(editor, chainRoot(access))
      )
        editor.change(replace(access.getNameNode(), "enum"));
  },
});

const addresses = forZod3({
  id: "zod-addresses",
  from: "`z.string().ip()`, `z.string().cidr()`",
  to: "`z.union([z.ipv4(), z.ipv6()])`, `z.union([z.cidrv4(), z.cidrv6()])`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, name, object } of methodCalls(editor.source, "ip", "cidr")) {
      if (object.getText() !== "z.string()") continue;
      const kind = name.getText();
      const text = /version:\s*"v([46])"/.exec(call.getText())?.[1];
      const versions = text === undefined ? ["4", "6"] : [text];
      const [argument] = call.getArguments();
      const options = toObject(argument);
      const message = (options ? valueOf(property(options, "message")) : argument)?.getText() ?? "";
      const [only, ...more] = versions.map((one) => `z.${kind}v${one}`);
      editor.change(
        between(
          object.getStart(),
          call.getEnd(),
          more.length === 0
            ? `${only}(${message})`
            : `z.union([${only}(), ${more.join()}()]${message && `, ${message}`})`,
        ),
      );
    }
  },
});

const defaults = forZod3({
  id: "zod-defaults",
  from: "`.default(value)` after a transformation, which Zod 3 transforms",
  to: "`.prefault(value)`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { name, object } of methodCalls(editor.source, "default")) {
      const names = chainNames(object);
      const isTransformed = names.some(
        (one) => one === "transform" || one === "pipe" || one === "preprocess",
      );
      if (isTransformed && chainRoot(object).getText() === "z")
        editor.change(replace(name, "prefault"));
    }
  },
});

const types = forZod3({
  id: "zod-types",
  from: "`z.AnyZodObject`, `z.ZodTypeAny`, `z.ZodType<Output, Def, Input>`, `z.ZodEffects<Schema>`",
  to: "`z.ZodObject`, `z.ZodType`, `z.ZodType<Output, Input>`; a mark for `ZodEffects`",
  kind: "both",
  apply: (editor) => {
    const names: Readonly<Record<string, string>> = {
      ...{ AnyZodObject: "ZodObject", ZodTypeAny: "ZodType", ZodSchema: "ZodType" },
    };
    for (const type of editor.source.getDescendantsOfKind(SyntaxKind.TypeReference)) {
      const text = type.getTypeName().getText();
      const name = text.replace(/^z\./, "");
      if (text === name) continue;
      const isArgument = Node.isTypeReference(type.getParent());
      if (name === "ZodEffects" || (name === "ZodTypeDef" && !isArgument))
        editor.mark(type, `Zod 4 has no \`${name}\`: use the type of the schema itself.`, "zod");
      const [output, def, input] = type.getTypeArguments();
      if ((name === "ZodType" || name === "ZodSchema") && output && def && input)
        editor.change(replace(type, `z.ZodType<${output.getText()}, ${input.getText()}>`));
      else if (names[name] !== undefined)
        editor.change(replace(nameNode(type), `z.${names[name]}`));
    }
  },
});

const nameNode = (type: TypeReferenceNode): AnyNode => type.getTypeName();

const issues = forZod3({
  id: "zod-issues",
  from: "`error.errors` of a `ZodError`",
  to: "`error.issues`",
  kind: "rewritten",
  apply: (editor) => {
    if (!/\bZodError\b|\bsafeParse(?:Async)?\b|ValidationError\b/.test(editor.source.getText()))
      return;
    for (const access of editor.source.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression)) {
      if (access.getName() !== "errors") continue;
      const object = access.getExpression().getText();
      const isParsed = /\.error$|\.cause$/.test(object);
      const isChecked = new RegExp(
        `\\b${object.replaceAll(/[^\w.]/g, "")} instanceof (?:z\\.)?ZodError`,
      ).test(editor.source.getText());
      if (isParsed || isChecked) editor.change(replace(access.getNameNode(), "issues"));
    }
  },
});

const removed: Readonly<Record<string, string>> = {
  deepPartial: "Zod 4 has no `deepPartial`: write the optional fields.",
  nonstrict: "Zod 4 has no `nonstrict`: `z.object()` is not strict.",
  innerType: "Refinements and transformations no longer wrap a schema in Zod 4.",
  sourceType: "Refinements and transformations no longer wrap a schema in Zod 4.",
  setErrorMap: "Zod 4 has `z.config({ customError })`.",
  returns: "Zod 4 has `z.function({ input, output })`.",
};

const others = forZod3({
  id: "zod-others",
  from: "`deepPartial`, `innerType`, `setErrorMap`, `z.function().args()`, `_def`, a function as the message of `refine`",
  to: "the rules of Zod 4",
  kind: "marked",
  apply: (editor) => {
    for (const { call, name, object } of methodCalls(editor.source, ...Object.keys(removed))) {
      const isFunction = name.getText() !== "returns" || /^z\s*\.function\(/.test(object.getText());
      if (isFunction) editor.mark(call, removed[name.getText()] ?? "", "zod");
    }
    for (const { call } of methodCalls(editor.source, "refine"))
      if (Node.isArrowFunction(call.getArguments()[1]))
        editor.mark(call, "Zod 4 takes `{ error: (issue) => … }` as the message.", "zod");
    for (const access of editor.source.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression))
      if (access.getName() === "_def")
        editor.mark(access, "The internals of schemas have changed in Zod 4: see `.def`.", "zod");
  },
});

export const zodRules: readonly Rule[] = [
  imports,
  coerce,
  descriptions,
  errors,
  records,
  enums,
  addresses,
  defaults,
  types,
  issues,
  others,
];
