import type { Response } from "express";
import { discardRestOfBody } from "../../wire/reply/close-after-reply.ts";
import { clearRepresentation } from "../../wire/exchange/node-response.ts";
import { holdErrors } from "../../wire/reply/hold-errors.ts";
import { toErrorStatus } from "../../wire/reply/http-error.ts";
import type { ContentDeclaration } from "../../basics/schemas/content.ts";
import { logAbandoned } from "./log-abandoned.ts";
import { answerError } from "./answer-error.ts";
import type { PlannedRun } from "./endpoint-plan.ts";
import type { RequestState } from "./request-state.ts";

/** Sends content without the result handler, which is called only if sending fails before the first byte. */
export const sendContent = async (
  state: RequestState,
  content: ContentDeclaration,
  output: unknown,
): Promise<void> => {
  const { request, response } = state;
  try {
    // the code that sends content is loaded when it is first needed
    const { writeContent } = await import("../../wire/reply/write-content.ts");
    if (state.hasLeft) {
      discardContent(output);
      logAbandoned(state);
      return;
    }
    discardRestOfBody(request, response, false);
    await writeContent(response, content, output);
  } catch (error) {
    discardContent(output);
    if (state.sentStatus === undefined) clearHead(response, error);
    await answerError(state, error, {
      plan: (state.run as PlannedRun | undefined)?.plan,
      replaces: true,
    });
  }
};

/** Removes the header fields of content that is not sent, which a result handler might leave as they are. */
const clearHead = (response: Response, error: unknown): void => {
  const range = toErrorStatus(error) === 416 ? response.getHeader("Content-Range") : undefined;
  clearRepresentation(response);
  response.removeHeader("X-Content-As");
  if (range !== undefined) response.setHeader("Content-Range", range);
  response.setHeader("Cache-Control", "no-store");
};

/** Ends a stream that nobody will read, so that the files and connections behind it are closed. */
export const discardContent = (output: unknown): void => {
  // the methods of a Node.js stream, a web stream and a generator
  const { destroy, cancel, return: leave } = Object(output) as Record<string, unknown>;
  const end = destroy ?? cancel ?? leave;
  if (typeof end !== "function") return;
  holdErrors(output);
  void (async () => Reflect.apply(end, output, []) as unknown)().catch(() => undefined);
};
