import type express from "express";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import { DefinitionError } from "../errors.ts";

/** Options of {@link ServeStatic}, those of `express.static`. */
export type ServeStaticOptions = NonNullable<Parameters<typeof express.static>[1]>;

/** Marks static files, also those of another copy of this package in the same process. */
export const serveStaticMark: unique symbol = Symbol.for("sallyport/serve-static");

/** A factory, as far as static files need one. */
export interface GuardFactory {
  buildVoid(definition: { readonly handler: () => unknown }): AnyEndpoint;
}

/**
 * A routing entry that serves the files of a directory under the path of its key.
 *
 * An endpoint at the same path comes first; a file that is missing is answered with 404.
 *
 * @example
 * const routing: Routing = { public: new ServeStatic("assets", { dotfiles: "deny", index: false }) };
 * @example
 * const routing: Routing = { reports: new ServeStatic("reports", {}, factoryWithAuth) };
 */
export class ServeStatic {
  readonly [serveStaticMark] = true;
  readonly directory: string;
  readonly options: ServeStaticOptions;
  /** Carries the middlewares that run before a file is looked for. */
  readonly guard: AnyEndpoint | undefined;

  /**
   * @param factory its middlewares run before a file is looked for, and its result handler answers what they throw
   * @throws {@link DefinitionError} when the directory is no path.
   */
  constructor(directory: string, options: ServeStaticOptions = {}, factory?: GuardFactory) {
    if (typeof directory !== "string" || directory === "")
      throw new DefinitionError(
        "SLP_DEFINITION_VALUE",
        "new ServeStatic: the first argument must be the path of a directory.",
      );
    this.directory = directory;
    this.options = options;
    this.guard = factory?.buildVoid({ handler: () => undefined });
  }
}

/** Tells whether a value is an entry of static files. */
export const isServeStatic = (value: unknown): value is ServeStatic =>
  typeof value === "object" && value !== null && serveStaticMark in value;
