// idempotency keys
/** The header fields to send with a call of a client that attaches an idempotency key where it can. */
export type WithoutKey<Key, Fields> = Key extends `${"patch" | "post"} ${string}`
  ? "idempotency-key" extends keyof Fields
    ? Omit<Fields, "idempotency-key"> & { readonly "idempotency-key"?: string }
    : Fields
  : Fields;

/** The routes of a client that attaches idempotency keys. */
export type KeyedRoutes<Routes> = {
  readonly [Key in keyof Routes]: "headers" extends keyof Routes[Key]
    ? Omit<Routes[Key], "headers"> & {
        readonly headers: WithoutKey<Key, Routes[Key]["headers"]>;
      }
    : Routes[Key];
};
