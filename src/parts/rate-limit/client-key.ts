import { hash } from "node:crypto";
import { isIP } from "node:net";
import { ConfigError } from "../../basics/errors.ts";
import type { Request } from "../../basics/http/express-objects.ts";

/** Returns the key of a client, which must not be taken for an address; a store sees no key itself, which may be secret. */
export const toClient = (given: string, isOwn: boolean): string =>
  isOwn && given.length <= maxKeyLength ? `key ${given}` : hash("sha256", given, "base64url");

/** Longer keys, which clients may choose, are not kept in memory themselves. */
const maxKeyLength = 128;

/** @throws {@link ConfigError} when clients can choose the address under which they are counted. */
export const assertProxies = (trusted: unknown): void => {
  if (trusted === true)
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      `rateLimit: the setting \`trust proxy\` of the application is true, so clients choose their address. Set it to the number of proxies, as in \`trustProxy: 1\` of createServer or app.set("trust proxy", 1), or set \`key\`.`,
    );
};

/**
 * Returns the address of a client, without the port that some proxies add to it.
 *
 * @throws {@link ConfigError} when clients connect to a UNIX socket, and thus have no address.
 */
export const toAddress = ({ ip, socket }: Request): string => {
  if (ip === undefined) {
    // TCP connections that the client has reset have no remote address, either
    if (socket.destroyed || socket.localAddress !== undefined) return "";
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      'rateLimit: the request has come through a UNIX socket, so its client has no address. Tell the application how many proxies stand before it, as in `trustProxy: 1` of createServer or app.set("trust proxy", 1), or set `key`.',
    );
  }
  const [, inBrackets, beforePort] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(ip) ?? [];
  const address = inBrackets ?? beforePort ?? ip;
  return isIP(address) > 0 ? address : ip;
};
