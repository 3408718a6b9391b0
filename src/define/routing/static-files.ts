import type express from "express";
import { anEndpointsFactory } from "../endpoint/check-definition.ts";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import { aPublicAccess } from "../endpoint/security.ts";
import { DefinitionError } from "../../basics/errors.ts";
import {
  aBoolean,
  aFunction,
  be,
  checkDefinition,
  checkOptions,
  oneOf,
  type Check,
} from "../../basics/messages/option-checks.ts";

type ExpressOptions = NonNullable<Parameters<typeof express.static>[1]>;

/** Options for {@link ServeStatic}: those of `express.static`, and `access`. */
export interface ServeStaticOptions extends ExpressOptions {
  /**
   * Says that everybody may read the files, for `access: "explicit"` of the configuration.
   *
   * @default undecided, or what the factory says
   */
  readonly access?: "public" | undefined;
}

/** The mark of static files, which all copies of this package in a process share. */
export const serveStaticMark: unique symbol = Symbol.for("sallyport/serve-static");

/** The part of a factory that static files need. */
export interface GuardFactory {
  buildVoid(definition: {
    readonly access?: "public" | undefined;
    readonly handler: () => unknown;
  }): AnyEndpoint;
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
  readonly options: ExpressOptions;
  readonly access: "public" | undefined;
  /** An endpoint with the middlewares that run before a file is looked up. */
  readonly guard: AnyEndpoint | undefined;

  /**
   * @param directory a path, relative to the working directory of the process when the server starts
   * @param factory its middlewares run before a file is looked up, and its result handler sends their errors
   * @throws {@link DefinitionError} when the directory, an option or the factory is invalid.
   */
  constructor(directory: string, given: ServeStaticOptions = {}, factory?: GuardFactory) {
    if (typeof directory !== "string" || directory === "")
      throw new DefinitionError(
        "SLP_DEFINITION_VALUE",
        `${where}: the first argument must be the path of a directory.`,
      );
    checkOptions(where, given, optionChecks);
    const { access, ...options } = given;
    checkDefinition(where, { factory }, { factory: anEndpointsFactory });
    this.directory = directory;
    this.options = options;
    this.access = access;
    this.guard = factory?.buildVoid({ handler: () => undefined });
  }
}

const where = "new ServeStatic";

const nameList = be(
  "false, a string or an array of strings",
  (value) => value === false || [value].flat().every((one) => typeof one === "string"),
);
const optionChecks: Readonly<Record<keyof ServeStaticOptions, Check>> = {
  access: aPublicAccess,
  acceptRanges: aBoolean,
  cacheControl: aBoolean,
  dotfiles: oneOf("allow", "deny", "ignore"),
  etag: aBoolean,
  extensions: nameList,
  fallthrough: aBoolean,
  immutable: aBoolean,
  index: nameList,
  lastModified: aBoolean,
  maxAge: be(
    'a number of milliseconds, or a string such as "1d"',
    (value) => typeof value === "string" || (typeof value === "number" && value >= 0),
  ),
  redirect: aBoolean,
  setHeaders: aFunction,
};

export const isServeStatic = (value: unknown): value is ServeStatic =>
  typeof value === "object" && value !== null && serveStaticMark in value;
