import type { HandlerArguments, Method } from "sallyport";
import type { TypesAt } from "sallyport/client";
import type { SentResponse } from "sallyport/types";
import type { AnyHandler } from "./scene.ts";

/** A path without an empty segment, as in the keys of a client. */
type Joined<Path extends string, Key extends string> = Key extends `/${infer Rest}`
  ? Joined<Path, Rest>
  : Key extends ""
    ? Path
    : `${Path}/${Key}`;

type Rooted<Path extends string> = Path extends "" ? "/" : Path;

type Served<M> = [M] extends [never] ? "get" : M & string;

/** The keys of an endpoint: its key in the routing map may name its method. */
type KeysOf<Key extends string, Path extends string, T> = Key extends Method
  ? `${Key} ${Rooted<Path>}`
  : Key extends `${infer M extends Method} ${infer Rest}`
    ? `${M} ${Joined<Path, Rest>}`
    : T extends { readonly method: infer M }
      ? `${Served<M>} ${Rooted<Joined<Path, Key>>}`
      : never;

/** The keys of the endpoints of a routing map, such as `get /users/:id`. */
export type RouteKey<Map, Path extends string = ""> = string extends keyof Map
  ? `${Method} /${string}`
  : {
      [Key in keyof Map & string]: NonNullable<Map[Key]> extends infer Value
        ? Value extends { readonly "~types": infer T }
          ? KeysOf<Key, Path, T>
          : Value extends { readonly directory: string }
            ? never
            : RouteKey<Value, Joined<Path, Key>>
        : never;
    }[keyof Map & string];

/** Parts of a value; arrays and instances of classes are whole. */
export type Part<Value> = Value extends
  | readonly unknown[]
  | Date
  | Uint8Array
  | ((...args: never) => unknown)
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: Part<Value[Key]> | undefined }
    : Value;

interface Schemas {
  readonly input: { readonly _zod: { readonly output: unknown } };
  readonly headers: { readonly _zod: { readonly output: unknown } };
  readonly output: { readonly _zod: { readonly input: unknown } };
  readonly errors: unknown;
}

/** Returns a part of the output, which replaces that part of the generated one, or throws an error. */
export type MockHandler<T> = T extends Schemas
  ? (
      this: void,
      args: HandlerArguments<
        T["input"]["_zod"]["output"],
        Readonly<Record<string, never>>,
        T["headers"]["_zod"]["output"],
        T["errors"]
      >,
    ) => Returned<T["output"]["_zod"]["input"]> | Promise<Returned<T["output"]["_zod"]["input"]>>
  : never;

type Returned<Output> = Part<Output> | SentResponse | undefined;

/** Handlers by method and path; the others stay generated. */
export type MockHandlers<R> = string extends keyof R
  ? Readonly<Record<string, AnyHandler>>
  : { readonly [Key in RouteKey<R>]?: MockHandler<TypesAt<R, Key>> };
