import { testServer } from "sallyport/testing";
import { ContractError } from "../errors.ts";
import type { VerifyDocumentOptions, VerifyOptions } from "./options.ts";
import type { Target } from "./session.ts";

/** A server to which requests go. */
interface OpenTarget extends Target {
  readonly close: () => Promise<void>;
}

/** Starts an API within this process. */
export const startTarget = async ({ config = {}, routing }: VerifyOptions): Promise<OpenTarget> => {
  const { fetch, close } = await testServer(config, routing);
  return { fetch, close };
};

/**
 * Finds the server at a URL.
 *
 * @throws {@link ContractError} when the URL is none of HTTP, its host is not allowed, or nothing answers there.
 */
export const findTarget = async ({
  url,
  allowHost = [],
  patience = 5000,
}: Pick<VerifyDocumentOptions, "url" | "allowHost" | "patience">): Promise<OpenTarget> => {
  const base = toBase(url);
  const { hostname } = base;
  if (!isLoopback(hostname) && ![allowHost].flat().includes(hostname))
    throw new ContractError(
      `url: ${url} is not on this machine, and its operations are about to be called. If that is right, allow it with allowHost: "${hostname}", or --allow-host ${hostname}.`,
    );
  const origin = `${base.origin}${base.pathname.replace(/\/$/, "")}`;
  const fetchAt: Target["fetch"] = (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const { pathname, search } = new URL(request?.url ?? input, "http://localhost");
    // a redirect is a reply, and may lead to another host
    const options = { redirect: "manual", ...init } as const;
    const target = `${origin}${pathname}${search}`;
    return fetch(request ? new Request(target, request) : target, options);
  };
  await fetchAt("/", { signal: AbortSignal.timeout(patience) }).then(
    (response) => response.body?.cancel(),
    (error: unknown) => {
      const { cause = error } = error as { readonly cause?: unknown };
      throw new ContractError(
        `url: nothing answers at ${url}: ${cause instanceof Error ? cause.message || cause.name : String(error)}. Start the server, or correct the URL.`,
      );
    },
  );
  return { fetch: fetchAt, origin, close: async () => undefined };
};

/** @throws {@link ContractError} when the URL is none of HTTP. */
const toBase = (url: string): URL => {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base && /^https?:$/.test(base.protocol) && !base.username && !base.search) return base;
  throw new ContractError(
    `url must be the address of a server, such as http://127.0.0.1:3000; got ${url}.`,
  );
};

/** @see https://www.rfc-editor.org/rfc/rfc6890.html */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
