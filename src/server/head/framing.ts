import type { IncomingMessage } from "node:http";
import { RequestError } from "../../errors.ts";
import { isHost } from "../../http/host.ts";

/** The maximum number of header fields in a request. */
export const maxHeaderFields = 100;

/**
 * Checks, in one pass over the raw fields of a request's head, what Node does not check. Returns the error if there are
 * too many fields, if the host is missing, repeated or malformed, or if the transfer coding is not `chunked` alone.
 *
 * If there are two `Host` fields, Node uses the first, and a proxy may use the second. Node hides fields over its own
 * limit from the application, although these still affect the framing of the message.
 *
 * @see RFC 9112, sections 3.2 and 6.1
 */
export const findFramingFault = ({
  rawHeaders,
  httpVersionMinor,
}: IncomingMessage): RequestError | undefined => {
  if (rawHeaders.length > 2 * maxHeaderFields)
    return new RequestError("SLP_HEADER_TOO_MANY_FIELDS");
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    // the length alone rules out most fields, and the name is usually spelt `Host`
    if (name.length === hostLength && (name === "Host" || name.toLowerCase() === "host")) {
      if (host !== undefined) return new RequestError("SLP_HEADER_HOST");
      host = value;
    } else if (name.length === codingLength && name.toLowerCase() === "transfer-encoding") {
      if (httpVersionMinor === 0 || value.toLowerCase() !== "chunked")
        return new RequestError("SLP_HEADER_TRANSFER_ENCODING");
    }
  }
  // most requests have the same host as the previous one
  if (host === rightHost) return undefined;
  if (host === undefined ? httpVersionMinor > 0 : !isHost(host))
    return new RequestError("SLP_HEADER_HOST");
  if (host !== undefined) rightHost = host;
  return undefined;
};

/** The last host that was found to be valid. */
let rightHost = "localhost";

const hostLength = "host".length;
const codingLength = "transfer-encoding".length;
