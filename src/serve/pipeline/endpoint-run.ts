import type { AsyncResource } from "node:async_hooks";
import type { AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import type { InputSource } from "../../define/endpoint/input-sources.ts";
import { BareObject } from "../../basics/http/query.ts";
import { combineInput, type CombinedInput } from "../request/combine-input.ts";
import type { Exchange } from "../../wire/exchange/exchange.ts";
import type { Request } from "../../basics/http/express-objects.ts";
import { parseBody, type BodyOptions, type BodyPlan } from "../request/parse-body.ts";
import type { Parser } from "../../basics/schemas/parser.ts";
import { readHeaders, validateInput, type HeaderPlan } from "./validate.ts";

/** The merged return values of a request's middlewares. */
export type RequestContext = Record<string, unknown>;

/** The parts of a plan that concern a run as a whole. */
export interface RunPlan extends BodyPlan {
  readonly endpoint: AnyEndpoint;
  readonly middlewares: readonly unknown[];
  /** Whether a middleware parses fields of the input, which are then merged into the handler's input. */
  readonly hasMiddlewareInput: boolean;
  readonly headers: HeaderPlan | undefined;
  readonly parseInput: Parser | undefined;
  /** Keys that only middlewares declare, hidden from the endpoint's own schema. */
  readonly middlewareOnlyKeys: readonly string[];
  readonly sources: readonly InputSource[];
  /** The fields that expect an array of files; a single file is put into an array. */
  readonly fileLists: readonly string[];
  /** The fields that expect an array; a single value from a query or a form is put into an array. */
  readonly textLists: readonly string[];
}

/** A time limit, whose clock can be stopped while something else takes its time. */
export interface TimeLimit {
  readonly milliseconds: number;
  readonly stop: () => void;
  readonly pauseFor: (reading: Promise<void>) => Promise<void>;
}

/** What the stages of an endpoint have found out about one request; created when the endpoint is reached. */
export class EndpointRun<Plan extends RunPlan = RunPlan> {
  readonly plan: Plan;
  readonly ctx: RequestContext;
  /** Whether the body has been read, or need not be. */
  body: "unread" | "reading" | "read";
  /** The combined input before validation; null until a stage asks for it. */
  combined: CombinedInput | null = null;
  /** The validated fields of the middlewares; undefined if none of them has an input. */
  readonly fields: Record<string, unknown> | undefined;
  /** The endpoint's validated input, if a middleware has asked for it. */
  input: { readonly value: unknown } | undefined = undefined;
  /** The validated header fields that the endpoint declares. */
  headers: object | undefined = undefined;
  /** The asynchronous context in which the last native middleware called `next`. */
  scope: AsyncResource | undefined = undefined;
  timeLimit: TimeLimit | undefined = undefined;
  /** The value of `request.next` while a native middleware runs. */
  nativeNext: unknown = undefined;
  /** Resolves when the stages that go on after a time limit have ended. */
  ending: Promise<void> | undefined = undefined;
  /** Whether an outcome is sent even if the client has left, because a middleware keeps the reply. */
  isReplyKept = false;
  /** Whether the handler has returned, and nothing around it has failed since that may have undone its work. */
  isDone = false;
  /** Whether the response has been sent, or given up. */
  isAnswered = false;
  /** The index among the running requests. */
  place = -1;

  constructor(plan: Plan) {
    this.plan = plan;
    this.body = plan.body === "none" ? "read" : "unread";
    this.ctx =
      plan.middlewares.length === 0 ? new BareObject() : (Object.create(null) as RequestContext);
    this.fields = plan.hasMiddlewareInput ? {} : undefined;
  }

  /** Returns the combined input, which is created when a stage first asks for it. */
  combine(request: Request): CombinedInput {
    const { sources, fileLists, textLists } = this.plan;
    return (this.combined ??= combineInput(request, sources, fileLists, textLists));
  }
}

type Reading = Exchange & { readonly service: { readonly bodies: BodyOptions } };

/** Parses the header fields that the endpoint declares, unless this has been done. */
export const readOwnHeaders = async (
  plan: HeaderPlan,
  run: EndpointRun,
  state: Reading,
): Promise<void> => {
  if (run.headers) return;
  run.headers = await readHeaders(plan, state.request);
  state.assertGoingOn();
};

/** Parses the input with the endpoint's own schema, unless a middleware has asked for that before. */
export const readInput = (run: EndpointRun, state: Reading): unknown => {
  if (run.input) return run.input.value;
  const { plan } = run;
  let input: Readonly<Record<string, unknown>> = run.combine(state.request);
  if (!plan.parseInput) return {};
  if (plan.middlewareOnlyKeys.length > 0) {
    const rest = Object.assign(new BareObject(), input);
    for (const key of plan.middlewareOnlyKeys) delete rest[key];
    input = rest;
  }
  return validateInput(plan.parseInput, input);
};

/** Validates the endpoint's input before a middleware with `afterValidation`. */
export const readInputEarly = async (run: EndpointRun, state: Reading): Promise<void> => {
  if (run.input) return;
  if (run.plan.headers) await readOwnHeaders(run.plan.headers, run, state);
  await readBody(run, state);
  run.input = { value: await readInput(run, state) };
  state.assertGoingOn();
};

export const readBody = async (run: EndpointRun, state: Reading): Promise<void> => {
  if (run.body !== "unread") return;
  await beginReading(run, state);
  run.body = "read";
};

/** Returns undefined if there is nothing to wait for. The clock of a time limit stops meanwhile. */
export const beginReading = (run: EndpointRun, state: Reading): Promise<void> | undefined => {
  const { request, response, logger, service } = state;
  run.body = "reading";
  const reading = parseBody(run.plan, service.bodies, request, response, logger);
  return reading && run.timeLimit ? run.timeLimit.pauseFor(reading) : reading;
};
