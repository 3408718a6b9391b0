import { explain, typesOf, type Json, type Operation, type Parameter } from "@sallyport/document";
import { nestFields, toTyped, type Raw, type RawFields } from "./raw-value.ts";
import { readCookies, type Input, type InputProblem, type MockRequest } from "./request.ts";

type Fields = Omit<Input, "body">;

/** Reads the parameters of a request, and lists what is wrong with them. */
export const readParameters = (
  { parameters }: Operation,
  path: Readonly<Record<string, string>>,
  { url, headers }: MockRequest,
): readonly [Fields, readonly InputProblem[]] => {
  const query = [...new URLSearchParams(url.split("?").slice(1).join("?"))];
  const cookies = readCookies(headers["cookie"]);
  const fields: Record<keyof Fields, Record<string, Json>> = {
    ...{ path: {}, query: {}, header: {}, cookie: {} },
  };
  const problems: InputProblem[] = [];
  for (const parameter of Object.values(parameters)) {
    const { in: place, name, schema = {}, required, allowEmptyValue } = parameter;
    if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") continue;
    // a placeholder that the path lacks cannot be sent
    if (place === "path" && path[name] === undefined) continue;
    const raw =
      place === "query"
        ? readQuery(parameter, query)
        : readText(
            parameter,
            { path: path[name], header: headers[name.toLowerCase()], cookie: cookies[name] }[place],
          );
    if (raw === undefined) {
      if (required) problems.push({ in: place, name, message: "must be there" });
      continue;
    }
    const value = toTyped(schema, raw);
    // a schema that accepts nothing is a mistake of the document
    const isFree = schema.never || (allowEmptyValue === true && raw === "");
    const problem = isFree ? undefined : explain(schema, value);
    if (problem)
      problems.push({ in: place, name: `${name}${problem.path}`, message: problem.message });
    else fields[place][name] = value;
  }
  return [fields, problems];
};

type Pair = readonly [string, string];

const readQuery = (parameter: Parameter, query: readonly Pair[]): Raw | undefined => {
  const { name, style, explode, schema = {}, mediaType } = parameter;
  const own = query.filter(([key]) => key === name).map(([, value]) => value);
  if (style === "deepObject") {
    const nested = query.filter(([key]) => key.startsWith(`${name}[`));
    return nestFields([...nested, ...own.map((value) => [name, value] as const)])[name];
  }
  if (mediaType === undefined && style === "form" && explode) {
    const types = typesOf(schema);
    if (own.length === 0 && types?.includes("object")) {
      const { properties = {} } = schema;
      const pairs = query.filter(([key]) => Object.hasOwn(properties, key));
      return pairs.length > 0 ? nestFields(pairs) : undefined;
    }
    if (own.length > 1 || types?.join() === "array") return own.length > 0 ? own : undefined;
  }
  return readText(parameter, own.at(-1));
};

const separators: Readonly<Record<string, string>> = {
  ...{ spaceDelimited: " ", pipeDelimited: "|", label: ".", matrix: "," },
};

/** Reads what one text carries, by the style of the parameter. */
const readText = (
  { name, style, explode, schema = {}, mediaType }: Parameter,
  given: string | undefined,
): Raw | undefined => {
  if (given === undefined || mediaType !== undefined) return given;
  const types = typesOf(schema) ?? [];
  const isList = types.includes("array") && !types.includes("string");
  const isObject = types.includes("object") && !types.includes("string");
  const isPrefixed = style === "label" || style === "matrix";
  const bare = isPrefixed ? given.replace(/^[.;]/, "") : given;
  const text = style === "matrix" && !explode ? bare.replace(`${name}=`, "") : bare;
  if ((!isList && !isObject) || /^\s*[[{]/.test(text)) {
    return style === "matrix" ? text.replace(`${name}=`, "") : text;
  }
  const separator =
    style === "matrix" && explode
      ? ";"
      : style === "label" && !explode
        ? ","
        : (separators[style] ?? ",");
  const parts = text === "" ? [] : text.split(separator).map((one) => one.trim());
  if (isList)
    return style === "matrix" && explode ? parts.map((one) => one.replace(`${name}=`, "")) : parts;
  return explode ? toPairs(parts.flatMap((one) => one.split("=", 2))) : toPairs(parts);
};

const toPairs = (parts: readonly string[]): RawFields =>
  Object.fromEntries(
    parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1] ?? ""]] : [])),
  );
