import type { DocumentedConfig } from "../openapi/options.ts";
import type { Routing } from "../routing/routing.ts";

/** What {@link generateClient} takes. */
export interface GenerateClientOptions {
  readonly routing: Routing;
  /**
   * The configuration of the server, which decides where the fields of an input are sent.
   *
   * @default that of a server without options
   */
  readonly config?: DocumentedConfig | undefined;
  /**
   * What dates of responses are to the client: the strings that are sent, or `Date`s that are made of them.
   *
   * Those of `z.date()`, `ez.dateOut()` and `z.iso.datetime()` are; of the latter, what is finer than a millisecond is lost.
   * In a union where a string or another object may be something else they stay strings.
   *
   * @default "string"
   */
  readonly format?: "date" | "string" | undefined;
  /**
   * Whether to write a declaration file instead: the types of `createClient<typeof routing>`, written out. Their
   * dates are strings.
   *
   * @default false
   */
  readonly types?: boolean | undefined;
}
