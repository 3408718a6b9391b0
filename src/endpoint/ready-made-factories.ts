import { arrayResultHandler, type ArrayResultHandler } from "../results/array-result-handler.ts";
import {
  problemResultHandler,
  type ProblemResultHandler,
} from "../results/problem-result-handler.ts";
import type { EmptyObject } from "../schemas/schema.ts";
import { EndpointsFactory } from "./endpoints-factory.ts";

/**
 * Builds endpoints that answer with their output itself, and with problem details for errors.
 *
 * Set `errorHandler: problemResultHandler` in the configuration as well, so that 404 and 405 have the same form.
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
 * Builds endpoints that answer with the list `items` of their output, and with plain text for errors.
 *
 * For clients of an older API: to a bare list nothing can be added later, such as the number of all items.
 */
export const arrayEndpointsFactory: EndpointsFactory<
  unknown,
  EmptyObject,
  EmptyObject,
  ArrayResultHandler
> = new EndpointsFactory(arrayResultHandler);
