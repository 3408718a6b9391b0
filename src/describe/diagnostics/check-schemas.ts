import type { z } from "zod";
import type { Operation } from "../api/operation.ts";
import { isEventStream, isJson, type DeclaredBody } from "../api/replies.ts";
import { getMessageFromError } from "../../wire/reply/http-error.ts";
import { readContent } from "../../basics/schemas/content.ts";
import { isForm } from "../../basics/schemas/bodies.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { someSchema, walkSchemas } from "../../basics/schemas/some-schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import { readValues } from "../../basics/schemas/zod-internals.ts";
import { report, type Diagnostic, type Warning } from "./diagnostic.ts";
import { toFix, toReason } from "./misfit-texts.ts";
import { MisfitFinder, type Misfit } from "./misfits.ts";
import { formWire, toInputWire, toOutputWire } from "./wire.ts";

const toWarning = (
  name: string,
  place: string,
  misfit: Misfit,
  at: unknown = misfit,
  meta: object = {},
): Warning => {
  const field = name + misfit.path;
  const reason = toReason(misfit);
  const text = `\`${field}\` of ${place} ${reason}. ${toFix(misfit)}.`;
  return { code: toCode(misfit), text, at, meta: { ...meta, field, reason } };
};

const toCode = ({ wire: { carrier } }: Misfit): Diagnostic["code"] => {
  if (carrier === "output") return "SLP_WARN_OUTPUT_JSON";
  return carrier === "json" ? "SLP_WARN_INPUT_JSON" : "SLP_WARN_INPUT_TEXT";
};

/** Finds parts of inputs that can never arrive, because JSON, a query or a path cannot represent their values. */
export const checkInputs = (operations: readonly Operation[]): readonly Diagnostic[] => {
  const finder = new MisfitFinder("input");
  const schemas = [...new Set(operations.flatMap(({ inputs }) => inputs))];
  return report(operations, (operation) => {
    const wire = toInputWire(operation);
    return operation.inputs.flatMap((schema) => {
      const { inputSchema } = operation.endpoint;
      const place = `${schema === inputSchema ? "" : "a middleware of "}${operation.route}`;
      // the fields of a form are strings, but an endpoint with a form also accepts JSON
      const asForm = isForm(schema) ? finder.find(schema, formWire).misfits : [];
      const coerced = asForm.filter(({ kind }) => kind === "coercedBoolean");
      const found = [...finder.find(schema, wire).misfits, ...coerced];
      return found
        .filter(({ path, kind }) => !(kind === "stream" && path === ".raw"))
        .map((misfit) =>
          toWarning("input", place, misfit, `${misfit.path} of ${schemas.indexOf(schema)}`),
        );
    });
  });
};

/** Finds the parts of outputs and events that can never be sent, because the result handler declares JSON. */
export const checkOutputs = (operations: readonly Operation[]): readonly Diagnostic[] => {
  const finder = new MisfitFinder("output");
  const wire = toOutputWire();
  return report(operations, (operation) => {
    const { route, endpoint } = operation;
    const { outputSchema, isVoid, resultHandler } = endpoint;
    if (outputSchema && (isVoid || readContent(outputSchema))) return [];
    if (outputSchema && someSchema(outputSchema, isStreamed)) {
      const text = `\`output\` of ${route} has ez.stream() or ez.file() inside another schema, where its content is not sent. Use it as the whole output: \`output: ez.stream(...)\`.`;
      return [{ at: outputSchema, code: "SLP_WARN_OUTPUT_JSON", text }];
    }
    let bodies: readonly DeclaredBody[];
    try {
      bodies = operation.successes.flatMap((reply) => reply.bodies);
    } catch (error) {
      // a result handler that needs an output to list its responses is not for streams
      if (!outputSchema) return [];
      // documents and clients depend on what the result handler declares
      const reason = getMessageFromError(error);
      const text = `the \`positive\` of the result handler of ${route} does not declare what is sent; correct it: ${reason}`;
      return [{ at: resultHandler, code: "SLP_WARN_RESPONSE", text, meta: { reason } }];
    }
    if (!outputSchema)
      return bodies.flatMap(listEvents).flatMap(({ event, data }) => {
        const place = `the event "${event}" of ${route}`;
        const { misfits } = finder.find(data, wire);
        return misfits.map((misfit) => toWarning("data", place, misfit, misfit, { event }));
      });
    const sent = listSent(bodies);
    return finder
      .find(outputSchema, wire)
      .misfits.filter(({ schema }) => sent.has(schema))
      .map((misfit) => toWarning("output", route, misfit));
  });
};

const isStreamed = (schema: ZodSchema): boolean =>
  ["file", "stream"].includes(readContent(schema)?.kind ?? "");

/** Lists the schemas of all bodies that are only sent as JSON, including nested schemas. */
const listSent = (bodies: readonly DeclaredBody[]): ReadonlySet<unknown> => {
  const others = new Set(
    bodies.filter(({ type }) => type === null || !isJson(type)).map(({ schema }) => schema),
  );
  return new Set(
    bodies.flatMap(({ schema }) => (schema && !others.has(schema) ? [...walkSchemas(schema)] : [])),
  );
};

/** Lists the events of a stream, whose data is written as JSON. */
const listEvents = ({ type, schema }: DeclaredBody) => {
  if (type === null || !schema || !isEventStream(type)) return [];
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const options = def.type === "union" ? def.options : [schema];
  return options.flatMap((option) => {
    const { fields } = readTopLevel(option);
    const [event] = readValues(fields.get("event") ?? option) ?? [];
    const data = fields.get("data");
    return data && typeof event === "string" ? [{ event, data }] : [];
  });
};
