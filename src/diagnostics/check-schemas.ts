import type { z } from "zod";
import type { Operation } from "../api/operation.ts";
import { isEventStream, isJson, type ReplyBody } from "../api/replies.ts";
import { getMessageFromError } from "../reply/http-error.ts";
import { readContent } from "../schemas/content.ts";
import { isForm } from "../schemas/form.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { someSchema, walkSchemas } from "../schemas/some-schema.ts";
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

/** Finds the parts that can never be sent in outputs that the result handler declares as JSON. */
export const checkOutputs = (operations: readonly Operation[]): readonly Diagnostic[] => {
  const finder = new MisfitFinder("output");
  const wire = toOutputWire();
  return report(operations, (operation) => {
    const { route, endpoint } = operation;
    const { outputSchema, isVoid, resultHandler } = endpoint;
    if (!outputSchema || isVoid || readContent(outputSchema)) return [];
    if (someSchema(outputSchema, isStreamed)) {
      const text = `\`output\` of ${route} has ez.stream() or ez.file() inside another schema, where its content is not sent. Use it as the whole output: \`output: ez.stream(...)\`.`;
      return [{ at: outputSchema, code: "SLP_WARN_OUTPUT_JSON", text }];
    }
    const misfits = finder.list(outputSchema, wire);
    let sent: ReadonlySet<unknown>;
    try {
      sent = listSent(operation);
    } catch (error) {
      // documents and clients depend on what the result handler declares
      const reason = getMessageFromError(error);
      const text = `the \`positive\` of the result handler of ${route} does not declare what is sent; correct it: ${reason}`;
      return [{ at: resultHandler, code: "SLP_WARN_RESPONSE", text, meta: { reason } }];
    }
    return misfits
      .filter(({ schema }) => sent.has(schema))
      .map((at) => toWarning("SLP_WARN_OUTPUT_JSON", `output${at.path}`, route, at, { at }));
  });
};

const isStreamed = (schema: ZodSchema): boolean =>
  ["file", "stream"].includes(readContent(schema)?.kind ?? "");

const listBodies = ({ successes }: Operation): readonly ReplyBody[] =>
  successes.flatMap(({ bodies }) => bodies);

/** Lists the schemas of all bodies that are only sent as JSON, including nested schemas. */
const listSent = (operation: Operation): ReadonlySet<unknown> => {
  const bodies = listBodies(operation);
  const others = new Set(
    bodies.filter(({ type }) => type === null || !isJson(type)).map(({ schema }) => schema),
  );
  return new Set(
    bodies.flatMap(({ schema }) => (schema && !others.has(schema) ? [...walkSchemas(schema)] : [])),
  );
};

/** Finds parts of a stream's events that can never be sent, because their data is written as JSON. */
export const checkEvents = (operations: readonly Operation[]): readonly Diagnostic[] => {
  const finder = new MisfitFinder("output");
  const wire = toOutputWire();
  const known = new Set<unknown>();
  return report(operations, (operation) => {
    const { resultHandler, outputSchema } = operation.endpoint;
    if (outputSchema || known.has(resultHandler)) return [];
    known.add(resultHandler);
    return listEvents(operation).flatMap(({ event, data }) =>
      finder.list(data, wire).map((misfit) => {
        const place = `the event "${event}" of ${operation.route}`;
        const meta = { event };
        return toWarning("SLP_WARN_OUTPUT_JSON", `data${misfit.path}`, place, misfit, { meta });
      }),
    );
  });
};

const listEvents = (operation: Operation) =>
  listDeclaredBodies(operation).flatMap(({ type, schema }) => {
    if (type === null || !schema || !isEventStream(type)) return [];
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const options = def.type === "union" ? def.options : [schema];
    return options.flatMap((option) => {
      const { shape } = option._zod.def as Partial<z.core.$ZodObjectDef>;
      const field = shape?.["event"];
      const [event] = (field && readValues(field)) ?? [];
      const data = shape?.["data"];
      return data && typeof event === "string" ? [{ event, data }] : [];
    });
  });

const listDeclaredBodies = (operation: Operation): readonly ReplyBody[] => {
  try {
    return listBodies(operation);
  } catch {
    // a result handler that cannot list its responses without an output is not for streams
    return [];
  }
};
