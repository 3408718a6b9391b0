import type { Fetch, UploadProgress } from "./call-options.ts";

interface ProgressRequest {
  responseType: string;
  withCredentials: boolean;
  readonly upload: {
    addEventListener(name: "progress", listener: (progress: UploadProgress) => void): void;
  };
  readonly response: Blob;
  readonly status: number;
  readonly statusText: string;
  addEventListener(name: "loadend", listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
  getAllResponseHeaders(): string;
}

/**
 * Returns a `fetch` that reports how much of the body it has sent; undefined without a listener or without
 * `XMLHttpRequest`.
 */
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
      request.upload.addEventListener("progress", onProgress);
      request.addEventListener("loadend", () => {
        // after an error or an abort, there is no status
        if (request.status) resolve(toResponse(request));
        else reject(new TypeError("The upload failed"));
      });
      signal?.addEventListener("abort", () => request.abort());
      request.send(body ?? null);
    });
};

const toResponse = (request: ProgressRequest): Response => {
  const { status, statusText } = request;
  const headers = new Headers();
  for (const [, name = "", value = ""] of request
    .getAllResponseHeaders()
    .matchAll(/^([^:\r\n]+):(.*)$/gm))
    headers.append(name, value);
  const body = [204, 205, 304].includes(status) ? null : request.response;
  return new Response(body, { status, statusText, headers });
};
