import type { z } from "zod";
import type { Operation } from "../api/operation.ts";
import { isEventStream, isJson, type ReplyBody } from "../api/replies.ts";
import { getMessageFromError } from "../reply/http-error.ts";
import { readContent } from "../schemas/content.ts";
import { isForm } from "../schemas/bodies.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { someSchema, walkSchemas } from "../schemas/some-schema.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import { readValues } from "../schemas/zod-internals.ts";
import { report, type Diagnostic, type Warning } from "./diagnostic.ts";
import { toFix, toReason } from "./fixes.ts";
import { MisfitFinder, type Misfit } from "./misfits.ts";
import { formWire, toInputWire, toOutputWire } from "./wire.ts";

const toWarning = (
  code: Diagnostic["code"],
  field: string,
  place: string,
  misfit: Misfit,
  more: Pick<Warning, "at" | "meta">,
): Warning => {
  const reason = toReason(misfit);
  const text = `\`${field}\` of ${place} ${reason}. ${toFix(misfit)}.`;
  return { code, text, at: more.at, meta: { ...more.meta, field, reason } };
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
      const misfits = isForm(schema)
        ? [...finder.list(schema, wire), ...finder.list(schema, formWire).filter(isCoerced)]
        : finder.list(schema, wire);
      return misfits.map((misfit) => {
        const field = `input${misfit.path}`;
        const code = misfit.wire.carrier === "json" ? "SLP_WARN_INPUT_JSON" : "SLP_WARN_INPUT_TEXT";
        const at = `${field} of ${schemas.indexOf(schema)}`;
        return toWarning(code, field, place, misfit, { at });
      });
    });
  });
};

const isCoerced = ({ kind }: Misfit): boolean => kind === "coercedBoolean";

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
    let bodies: readonly ReplyBody[];
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
    const toOwnWarning = (name: string, place: string, at: Misfit, meta: object): Warning =>
      toWarning("SLP_WARN_OUTPUT_JSON", `${name}${at.path}`, place, at, { at, meta });
    if (!outputSchema)
      return bodies.flatMap(listEvents).flatMap(({ event, data }) => {
        const place = `the event "${event}" of ${route}`;
        return finder.list(data, wire).map((at) => toOwnWarning("data", place, at, { event }));
      });
    const sent = listSent(bodies);
    return finder
      .list(outputSchema, wire)
      .filter(({ schema }) => sent.has(schema))
      .map((at) => toOwnWarning("output", route, at, {}));
  });
};

const isStreamed = (schema: ZodSchema): boolean =>
  ["file", "stream"].includes(readContent(schema)?.kind ?? "");

/** Lists the schemas of all bodies that are only sent as JSON, including nested schemas. */
const listSent = (bodies: readonly ReplyBody[]): ReadonlySet<unknown> => {
  const others = new Set(
    bodies.filter(({ type }) => type === null || !isJson(type)).map(({ schema }) => schema),
  );
  return new Set(
    bodies.flatMap(({ schema }) => (schema && !others.has(schema) ? [...walkSchemas(schema)] : [])),
  );
};

/** Lists the events of a stream, whose data is written as JSON. */
const listEvents = ({ type, schema }: ReplyBody) => {
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
