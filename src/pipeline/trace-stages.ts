import { wrapParser, type Parser } from "../schemas/parser.ts";
import type { StageKind, Telemetry } from "../telemetry.ts";
import type { EndpointPlan, FinishPlan, HeaderPlan, MiddlewareStep } from "./endpoint-plan.ts";

/** The names of functions that say nothing: those of the options that hold the functions. */
const noNames: ReadonlySet<unknown> = new Set(["handler", "around", "", undefined]);

/** Creates a function that makes stages of a plan run within `runStage`. */
export const createStageTracing = ({ spans, runStage }: Telemetry): FinishPlan => {
  const has = (kind: StageKind): boolean => spans.includes(kind);
  const traceParser = (name: string, parse: Parser): Parser =>
    wrapParser(parse, (value) => runStage(name, () => parse(value)));
  const traceChecks = <P extends Pick<EndpointPlan, "parseInput" | "headers">>(
    plan: P,
    whose = "",
  ): P => {
    if (!has("validation")) return plan;
    const { parseInput, headers } = plan;
    return {
      ...plan,
      parseInput: parseInput && traceParser(`validate input${whose}`, parseInput),
      headers: headers && traceHeaders(headers, whose),
    };
  };
  const traceHeaders = (headers: HeaderPlan, whose: string): HeaderPlan => ({
    ...headers,
    parse: traceParser(`validate headers${whose}`, headers.parse),
  });
  const traceStep = (step: MiddlewareStep, index: number): MiddlewareStep => {
    const { middleware } = step;
    const { handle, span } = middleware;
    const name = `middleware ${noNames.has(middleware.name) ? index + 1 : middleware.name}`;
    const traced = traceChecks(step, ` of ${name}`);
    if (!has("middlewares")) return traced;
    return {
      ...traced,
      middleware: Object.create(middleware, {
        handle: { value: ((args) => runStage(name, () => handle(args))) satisfies typeof handle },
        span: {
          value:
            span &&
            (((args, rest) => runStage(name, () => span(args, rest))) satisfies typeof span),
        },
      }) as typeof middleware,
    };
  };
  return (plan) => {
    const middlewares = plan.middlewares.map(traceStep);
    const { handle, parseOutput } = plan;
    return Object.freeze({
      ...traceChecks(plan),
      middlewares,
      nativeMiddlewares: middlewares.slice(0, plan.nativeMiddlewares.length),
      parseOutput:
        parseOutput && has("validation")
          ? traceParser("validate output", parseOutput)
          : parseOutput,
      handle: has("handler") ? (args) => runStage("handler", () => handle(args)) : handle,
    } satisfies EndpointPlan);
  };
};
