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
   * Whether to write a declaration file instead: the types of `createClient<typeof routing>`, written out.
   *
   * @default false
   */
  readonly types?: boolean | undefined;
}
