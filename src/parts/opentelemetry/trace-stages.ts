import { context, diag, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { isPromiseLike } from "../../define/endpoint/handler-arguments.ts";
import type { EndpointPlan, MiddlewareStep } from "../../serve/pipeline/endpoint-plan.ts";
import { runObserved } from "../../serve/pipeline/run-observed.ts";
import { readSafely, toErrorStatus } from "../../wire/reply/http-error.ts";
import { wrapParser, type Parser } from "../../basics/schemas/parser.ts";

export const stageKinds = ["middlewares", "validation", "handler"] as const;

/** A kind of stages that can have spans of their own. */
export type StageKind = (typeof stageKinds)[number];

/** The names of functions that say nothing: those of the options that hold the functions. */
const noNames: ReadonlySet<unknown> = new Set(["handler", "around", "", undefined]);

/** Makes stages of a plan run within spans of their own. */
export const traceStages = (plan: EndpointPlan, kinds: readonly StageKind[], tracer: Tracer) => {
  const wrap = <Run extends ((...args: never[]) => unknown) | undefined>(
    kind: StageKind,
    name: string,
    run: Run,
  ): Run => {
    if (!run || !kinds.includes(kind)) return run;
    return ((...args) => runStage(tracer, name, () => run(...args))) as Run;
  };
  const wrapCheck = <P extends Parser | undefined>(name: string, parse: P): P =>
    parse && (wrapParser(parse, wrap("validation", name, parse)) as P);
  const wrapChecks = (
    { parseInput, headers }: Pick<EndpointPlan, "parseInput" | "headers">,
    of = "",
  ) => ({
    parseInput: wrapCheck(`validate input${of}`, parseInput),
    headers: headers && { ...headers, parse: wrapCheck(`validate headers${of}`, headers.parse) },
  });
  const wrapStep = (step: MiddlewareStep, index: number): MiddlewareStep => {
    const { name: given } = step.middleware;
    const name = `middleware ${noNames.has(given) ? index + 1 : given}`;
    const handle = wrap("middlewares", name, step.handle);
    const around = wrap("middlewares", name, step.around);
    return { ...step, ...wrapChecks(step, ` of ${name}`), handle, around };
  };
  return {
    ...plan,
    ...wrapChecks(plan),
    middlewares: plan.middlewares.map(wrapStep),
    parseOutput: wrapCheck("validate output", plan.parseOutput),
    handle: wrap("handler", "handler", plan.handle),
  };
};

/** Runs a stage within a span, whose status is Error if the stage ends with a fault. */
const runStage = (tracer: Tracer, name: string, stage: () => unknown): unknown => {
  const span = attempt(() => tracer.startSpan(name));
  if (!span) return stage();
  const succeed = (value: unknown): unknown => {
    attempt(() => span.end());
    return value;
  };
  const fail = (error: unknown): never => {
    // this is how stages end when `signal` is aborted
    const isAborted = readSafely(error, "name") === "AbortError";
    if (!isAborted && toErrorStatus(error) >= 500)
      attempt(() => span.setStatus({ code: SpanStatusCode.ERROR }));
    attempt(() => span.end());
    throw error;
  };
  const enter = (run: () => void): void =>
    attempt(() => context.with(trace.setSpan(context.active(), span), run));
  let returned;
  try {
    returned = runObserved(enter, stage);
  } catch (error) {
    return fail(error);
  }
  return isPromiseLike(returned) ? returned.then(succeed, fail) : succeed(returned);
};

/** Calls the SDK, whose failure must not fail the stage. */
const attempt = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch (error) {
    diag.error("sallyport: the span of a stage failed", error);
    return undefined;
  }
};
