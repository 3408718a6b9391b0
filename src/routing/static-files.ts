import type express from "express";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import { DefinitionError } from "../errors.ts";

/** Options for {@link ServeStatic}, which are those of `express.static`. */
export type ServeStaticOptions = NonNullable<Parameters<typeof express.static>[1]>;

/** The mark of static files, which all copies of this package in a process share. */
export const serveStaticMark: unique symbol = Symbol.for("sallyport/serve-static");

/** The part of a factory that static files need. */
export interface GuardFactory {
  buildVoid(definition: { readonly handler: () => unknown }): AnyEndpoint;
}

/**
 * A routing entry that serves the files of a directory under the path of its key.
 *
 * An endpoint at the same path takes precedence; a missing file gets a 404.
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
  /** An endpoint with the middlewares that run before a file is looked up. */
  readonly guard: AnyEndpoint | undefined;

  /**
   * @param directory a path, relative to the working directory of the process when the server starts
   * @param factory a factory whose middlewares run before a file is looked up, and whose result handler sends the
   * errors that they throw
   * @throws {@link DefinitionError} when `directory` is not a non-empty string.
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

/** Checks whether a value is a static files entry. */
export const isServeStatic = (value: unknown): value is ServeStatic =>
  typeof value === "object" && value !== null && serveStaticMark in value;
