import type { Fetch, UploadProgress } from "./call-options.ts";

/** As much as is used of `XMLHttpRequest`, which only browsers have. */
interface ProgressRequest {
  responseType: string;
  withCredentials: boolean;
  readonly upload: { onprogress: ((progress: UploadProgress) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  readonly response: Blob;
  readonly status: number;
  readonly statusText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
  getAllResponseHeaders(): string;
}

/** Gives a `fetch` that tells how much of the body it has sent; undefined where the platform has none. */
export const toProgressFetch = (
  onProgress: (progress: UploadProgress) => void,
): Fetch | undefined => {
  const { XMLHttpRequest: Request } = globalThis as unknown as {
    readonly XMLHttpRequest?: new () => ProgressRequest;
  };
  if (!Request) return undefined;
  return (url, { method = "GET", headers, body, credentials, signal }) =>
    new Promise((resolve, reject) => {
      const request = new Request();
      request.open(method, url);
      request.responseType = "blob";
      request.withCredentials = credentials === "include";
      (headers as Headers).forEach((value, name) => request.setRequestHeader(name, value));
      request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total });
      request.onload = () => resolve(toResponse(request));
      request.onerror = request.onabort = () => reject(new TypeError("The upload has failed"));
      signal?.addEventListener("abort", () => request.abort());
      request.send(body ?? null);
    });
};

const toResponse = (request: ProgressRequest): Response => {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const { status, statusText } = request;
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : request.response, { status, statusText, headers });
};
