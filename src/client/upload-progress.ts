import type { Fetch, UploadProgress } from "./call-options.ts";

/** The part of `XMLHttpRequest` that is used; only browsers have it. */
interface ProgressRequest {
  responseType: string;
  withCredentials: boolean;
  readonly upload: {
    addEventListener(name: "progress", listener: (progress: UploadProgress) => void): void;
  };
  readonly response: Blob;
  readonly status: number;
  readonly statusText: string;
  addEventListener(name: "abort" | "error" | "load", listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
  getAllResponseHeaders(): string;
}

/** Returns a `fetch` that reports how much of the body it has sent; undefined if the platform has none. */
export const toProgressFetch = (
  onProgress: "" | ((progress: UploadProgress) => void) | undefined,
): Fetch | undefined => {
  const { XMLHttpRequest: Request } = globalThis as unknown as {
    readonly XMLHttpRequest?: new () => ProgressRequest;
  };
  if (!Request || !onProgress) return undefined;
  return (url, { method = "GET", headers, body, credentials, signal }) =>
    new Promise((resolve, reject) => {
      const request = new Request();
      request.open(method, url);
      request.responseType = "blob";
      request.withCredentials = credentials === "include";
      (headers as Headers).forEach((value, name) => request.setRequestHeader(name, value));
      const fail = (): void => reject(new TypeError("The upload failed"));
      request.upload.addEventListener("progress", onProgress);
      request.addEventListener("load", () => resolve(toResponse(request)));
      request.addEventListener("error", fail);
      request.addEventListener("abort", fail);
      signal?.addEventListener("abort", () => request.abort());
      request.send(body ?? null);
    });
};

const toResponse = (request: ProgressRequest): Response => {
  const { status, statusText } = request;
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1));
  }
  const body = [204, 205, 304].includes(status) ? null : request.response;
  return new Response(body, { status, statusText, headers });
};
