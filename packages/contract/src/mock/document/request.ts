import type { Json } from "@sallyport/document";

/** A request, as far as a mock reads it. */
export interface MockRequest {
  /** In capitals. */
  readonly method: string;
  /** As sent, with a query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** What a mock sends. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
}

/** What is wrong with a part of a request. */
export interface InputProblem {
  /** Where the part is: a place of parameters, or the body. */
  readonly in: string;
  /** The name of a parameter, or the way to the part of a body; empty for the whole. */
  readonly name: string;
  readonly message: string;
}

/** The input of an operation, by place and name. */
export interface Input {
  readonly path: Readonly<Record<string, Json>>;
  readonly query: Readonly<Record<string, Json>>;
  readonly header: Readonly<Record<string, Json>>;
  readonly cookie: Readonly<Record<string, Json>>;
  readonly body?: Json | undefined;
}

export const readCookies = (field = ""): Readonly<Record<string, string>> =>
  Object.fromEntries(
    field.split(/; */).flatMap((pair) => {
      const at = pair.indexOf("=");
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : [];
    }),
  );
