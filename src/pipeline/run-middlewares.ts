import { isPromiseLike } from "../endpoint/handler-arguments.ts";
import { ServerFault } from "../errors.ts";
import { copyOwn } from "./copy-own.ts";
import type { MiddlewareStep } from "./endpoint-plan.ts";
import { endHead, isAbandoned, isTaken } from "./response-state.ts";
import { logAbandoned } from "./log-abandoned.ts";
import { validateInput } from "./validate-input.ts";
import { WalkArguments, type Walk } from "./walk.ts";

const noInput: Readonly<Record<string, never>> = Object.freeze({});

/**
 * Runs middlewares in order; what they return joins the context.
 *
 * @param fields where the fields join that they parse from the input
 * @returns false when one of them has sent the response itself or the client has left, which ends the walk
 */
export const runMiddlewares = async (
  steps: readonly MiddlewareStep[],
  walk: Walk,
  fields?: Record<string, unknown>,
): Promise<boolean> => {
  for (const { middleware, parseInput } of steps) {
    let input: unknown = noInput;
    if (parseInput) {
      input = validateInput(parseInput, walk.combined);
      if (input instanceof Promise) input = await (input as Promise<unknown>);
      if (fields) copyOwn(fields, input as object);
    }
    // handlers are declared for their own types, which the factory has checked
    let returned: unknown = middleware.handle(new WalkArguments(walk, input) as never);
    if (isPromiseLike(returned)) returned = await returned;
    if (returned !== undefined && returned !== null) joinContext(walk.ctx, returned);
    if (!canGoOn(walk)) return false;
  }
  return true;
};

/** Not where the response is sent or being sent, nor where the client has left: an unfinished check has allowed nothing. */
const canGoOn = (walk: Walk): boolean => {
  const { response, isFailed } = walk;
  if (isTaken(response)) endHead(response);
  else if (isAbandoned(response)) logAbandoned(walk);
  else return !isFailed;
  return false;
};

const joinContext = (ctx: Record<string, unknown>, returned: unknown): void => {
  if (typeof returned !== "object" || returned === null || Array.isArray(returned))
    throw new ServerFault(
      "SLP_CONTEXT_NOT_OBJECT",
      `A middleware must return an object, or nothing; it returned ${Array.isArray(returned) ? "an array" : `a ${typeof returned}`}`,
    );
  copyOwn(ctx, returned);
};
