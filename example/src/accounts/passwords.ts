import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** The parameters that OWASP recommends for 16 MiB of memory. */
const parameters = { N: 16_384, r: 8, p: 5 };
const length = 32;

const toText = ({ N, r, p }: typeof parameters, salt: Buffer, hash: Buffer): string =>
  `scrypt:${N}:${r}:${p}:${salt.toString("base64url")}:${hash.toString("base64url")}`;

/** Hashes a password; the text contains the parameters, so that they can change later. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(16);
  return toText(parameters, salt, await derive(password, salt, length, parameters));
};

/** Of no password; it is compared if there is no account, so that the reply takes as long as with one. */
const noHash = toText(parameters, Buffer.alloc(16), Buffer.alloc(length));

/** Checks a password against the hash of an account, or of none. */
export const isPassword = async (password: string, hash: string = noHash): Promise<boolean> => {
  const [, N, r, p, salt = "", wanted = ""] = hash.split(":");
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, "base64url"), length, options);
  return timingSafeEqual(given, Buffer.from(wanted, "base64url"));
};
