import type { DocumentedConfig } from "../openapi/options.ts";
import type { Routing } from "../routing/routing.ts";

/** The argument of {@link generateClient}. */
export interface GenerateClientOptions {
  readonly routing: Routing;
  /**
   * The configuration of the server, which determines where the fields of an input are sent.
   *
   * @default the configuration of a server without options
   */
  readonly config?: DocumentedConfig | undefined;
  /**
   * How clients receive the dates in responses: as strings, or converted to `Date` objects.
   *
   * The schemas of dates are `z.date()`, `ez.dateOut()` and `z.iso.datetime()`; a `Date` is truncated to milliseconds.
   * Dates stay strings in a union where a string or another object is also possible.
   *
   * @default "string"
   */
  readonly format?: "date" | "string" | undefined;
  /**
   * Whether to write a declaration file instead, with the types of `createClient<typeof routing>` written out. In a
   * declaration file, dates are strings.
   *
   * @default false
   */
  readonly types?: boolean | undefined;
}
