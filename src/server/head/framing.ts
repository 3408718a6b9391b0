import type { IncomingMessage } from "node:http";
import { RequestError } from "../../errors.ts";
import { isHost } from "../../http/host.ts";

/** The maximum number of header fields in a request. */
export const maxHeaderFields = 100;

/**
 * Checks, in one pass over the raw fields of a request's head, what Node does not check.
 *
 * If there are two `Host` fields, Node uses the first, and a proxy may use the second. Node hides fields over its own
 * limit from the application, although these still affect the framing of the message.
 *
 * @throws {@link RequestError} when there are too many fields, when the host is missing, repeated or malformed, or when
 * the transfer coding is not `chunked` alone.
 * @see RFC 9112, sections 3.2 and 6.1
 */
export const assertFraming = ({ rawHeaders, httpVersionMinor }: IncomingMessage): void => {
  if (rawHeaders.length > 2 * maxHeaderFields) throw new RequestError("SLP_HEADER_TOO_MANY_FIELDS");
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    // the length alone rules out most fields, and the name is usually spelt `Host`
    if (name.length === hostLength && (name === "Host" || name.toLowerCase() === "host")) {
      if (host !== undefined) throw new RequestError("SLP_HEADER_HOST");
      host = value;
    } else if (name.length === codingLength && name.toLowerCase() === "transfer-encoding") {
      if (httpVersionMinor === 0 || value.toLowerCase() !== "chunked")
        throw new RequestError("SLP_HEADER_TRANSFER_ENCODING");
    }
  }
  // most requests have the same host as the previous one
  if (host === rightHost) return;
  if (host === undefined ? httpVersionMinor > 0 : !isHost(host))
    throw new RequestError("SLP_HEADER_HOST");
  if (host !== undefined) rightHost = host;
};

/** The last host that was found to be valid. */
let rightHost = "localhost";

const hostLength = "host".length;
const codingLength = "transfer-encoding".length;
