import type { z } from "zod";
import { toStatusText } from "../http/status.ts";
import type { ApiResponse } from "../results/api-response.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { Components } from "./components.ts";
import { isObject } from "./json.ts";
import { toWritePlace, type OperationPlace } from "./operation-place.ts";
import type { JsonObject } from "./options.ts";

/** The responses that many operations have, such as 400, each written once. */
export class SharedResponses {
  readonly #components: Components;
  readonly #responses = new Map<string, JsonObject>();
  readonly #names = new Map<string, string>();
  readonly #negatives = new Map<
    AnyResultHandler,
    Map<z.ZodType | undefined, readonly ApiResponse[]>
  >();

  constructor(components: Components) {
    this.#components = components;
  }

  /** Lists the error responses of a result handler; the list is kept, so that each schema is written once. */
  listNegative(handler: AnyResultHandler, data: z.ZodType | undefined): readonly ApiResponse[] {
    const known =
      this.#negatives.get(handler) ?? new Map<z.ZodType | undefined, readonly ApiResponse[]>();
    this.#negatives.set(handler, known);
    const responses = known.get(data) ?? handler.listNegative(data);
    known.set(data, responses);
    return responses;
  }

  /** Replaces the schemas of bodies with references to generated names. */
  nameSchemas(content: JsonObject, place: OperationPlace): JsonObject {
    return Object.fromEntries(
      Object.entries(content).map(([type, media]) => {
        const schema = isObject(media) ? media["schema"] : undefined;
        if (!isObject(schema) || schema["type"] !== "object") return [type, media];
        const shared = this.#components.share(
          schema,
          "Error",
          toWritePlace(place, "errors", "Error"),
        );
        return [type, { schema: shared }];
      }),
    );
  }

  /** Gives a response a name, such as `BadRequest`, and returns a reference to it. */
  share(status: number, response: JsonObject): JsonObject {
    const text = JSON.stringify([status, response]);
    let name = this.#names.get(text);
    if (name === undefined) {
      const wanted = toStatusText(status).replaceAll(/[^A-Za-z]/g, "");
      name = wanted;
      for (let number = 2; this.#responses.has(name); number++) name = `${wanted}${number}`;
      this.#names.set(text, name);
      this.#responses.set(name, response);
    }
    return { $ref: `#/components/responses/${name}` };
  }

  /** Returns all responses by name. */
  toComponents(): JsonObject | undefined {
    const sorted = [...this.#responses].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return sorted.length > 0 ? Object.fromEntries(sorted) : undefined;
  }
}
