/** A check of something that requests need, such as a database. */
export interface HealthCheck {
  /** Resolves if all is well, and throws otherwise. `signal` is aborted after the time limit. */
  readonly check: (args: { readonly signal: AbortSignal }) => unknown;
  /**
   * Whether the server is taken out of service while the check fails. If what is checked is shared by all instances, a
   * critical check takes all of them out of service at once.
   *
   * @default false
   */
  readonly critical?: boolean | undefined;
  /**
   * How long the check may take, in milliseconds, before it counts as failed.
   *
   * @default 2000
   */
  readonly timeout?: number | undefined;
  /**
   * How long a result is used, in milliseconds from the beginning of the check. Requests that arrive while the check is
   * running share its result.
   *
   * @default 1000
   */
  readonly cache?: number | undefined;
}

/** Options for the two routes that tell whether the server is alive and ready. */
export interface HealthOptions {
  /**
   * The path that responds as long as the process does; it runs no checks.
   *
   * @default "/livez"
   */
  readonly live?: string | undefined;
  /**
   * The path that tells whether to send requests to this server.
   *
   * @default "/readyz"
   */
  readonly ready?: string | undefined;
  /** The checks by name, each a function or a function with options. */
  readonly checks?: Readonly<Record<string, HealthCheck | HealthCheck["check"]>> | undefined;
  /**
   * Says that everybody may call the two paths, for `access: "explicit"` of the configuration.
   *
   * @default undecided
   */
  readonly access?: "public" | undefined;
  /**
   * Whether requests for the two paths are passed to the access logger.
   *
   * @default false
   */
  readonly accessLog?: boolean | undefined;
  /**
   * Whether the `telemetry` option observes requests for the two paths, and what their checks do.
   *
   * @default false
   */
  readonly telemetry?: boolean | undefined;
}
