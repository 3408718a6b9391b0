import { arrayResultHandler, type ArrayResultHandler } from "../results/array-result-handler.ts";
import {
  problemResultHandler,
  type ProblemResultHandler,
} from "../results/problem-result-handler.ts";
import type { EmptyObject } from "../schemas/schema.ts";
import { EndpointsFactory } from "./endpoints-factory.ts";

/**
 * Builds endpoints that send their bare output on success and problem details on error. Also set `errorHandler:
 * problemResultHandler` in the configuration, so that errors without an endpoint, such as a 404, have the same format.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export const problemEndpointsFactory: EndpointsFactory<
  unknown,
  EmptyObject,
  EmptyObject,
  ProblemResultHandler
> = new EndpointsFactory(problemResultHandler);

/**
 * Builds endpoints that send the array `items` of their output on success and plain text on error. Use it only for
 * clients of an older API: a bare array leaves no room for later additions, such as a total count.
 */
export const arrayEndpointsFactory: EndpointsFactory<
  unknown,
  EmptyObject,
  EmptyObject,
  ArrayResultHandler
> = new EndpointsFactory(arrayResultHandler);
