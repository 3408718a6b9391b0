import type { AnySchema, InputSchema } from "../../basics/schemas/schema.ts";
import type { ArgumentsBox, MaybePromise } from "./handler-arguments.ts";

/** Whether writes may or must name the version that they expect. */
export type IfMatch = "optional" | "required";

/** What a version may be beside a string: a date, unless clients must name the version in `If-Match`. */
export type WeakVersion<Match extends IfMatch> = "required" extends Match
  ? "optional" extends Match
    ? Date
    : never
  : Date;

/** The options of an endpoint whose writes are conditional. */
export interface WriteConditions<Box extends ArgumentsBox, Match extends IfMatch> {
  /**
   * Whether a request other than GET and QUERY may, or must, name in `If-Match` the version that it expects to change.
   * If the resource has another version, the request is refused with 412; with `"required"`, a request without the field
   * is refused with 428. Needs `current`.
   *
   * @default conditions of the request are ignored
   * @see RFC 9110, section 13, and RFC 6585, section 3
   */
  readonly ifMatch?: Match | undefined;
  /**
   * Returns the version that the resource has now, in the form in which `version` returns it; undefined if the resource
   * does not exist, which is answered with 412 if a version is expected. To answer with 404 in any case, throw one of
   * `errors`. It runs after all middlewares, once the input is valid, and before the handler.
   */
  readonly current?:
    | ((args: {
        readonly input: Box["args"]["input"];
        readonly ctx: Box["args"]["ctx"];
        readonly errors: Box["args"]["errors"];
      }) => MaybePromise<string | WeakVersion<Match> | null | undefined>)
    | undefined;
}

interface MatchFields {
  readonly optional: { readonly "if-match"?: string | undefined };
  readonly required: { readonly "if-match": string };
}

/** A schema of header fields, with those of `ifMatch`. */
export interface MatchingHeaders<Headers extends AnySchema, Match extends IfMatch> {
  readonly _zod: {
    readonly input: Headers["_zod"]["input"] & MatchFields[Match];
    readonly output: Headers["_zod"]["output"];
  };
}

/** The schema of the header fields that clients send to an endpoint. */
export type SentHeaders<Headers extends InputSchema, Match extends IfMatch> = [Match] extends [
  never,
]
  ? Headers
  : MatchingHeaders<Headers, Match>;
