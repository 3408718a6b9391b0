import { writeFileSync } from "node:fs";
import { isObject, type ApiDescription } from "@sallyport/document";
import { ContractError } from "../../errors.ts";
import { readContract } from "../../read/read-contract.ts";
import { readText } from "../../read/read-text.ts";
import { deserialise, serialise, type SerialisedContract } from "./serialise.ts";

/** A change that is known and wanted, although it breaks clients. */
export interface Acceptance {
  readonly rule: string;
  /** The path of the change, or the beginning of several paths, such as that of an operation. */
  readonly path: string;
  readonly why: string;
}

export interface Lock {
  readonly contract: ApiDescription;
  readonly accepted: readonly Acceptance[];
}

/** The form of the file; a later one may differ. */
const version = 2;

export const writeLock = (file: string, contract: ApiDescription): void => {
  write(file, { lock: version, accepted: [], contract: serialise(contract) });
};

/** @throws {@link ContractError} when the file is missing or no lock. */
export const readLock = (file: string): Lock => {
  const { accepted, contract } = parseLock(file);
  return { accepted, contract: deserialise(contract, file) };
};

/**
 * Reads what to compare with: a lock, or an OpenAPI document, in which nothing is accepted.
 *
 * @throws {@link ContractError} when the file is missing, or neither.
 */
export const readBase = (file: string): Lock =>
  isLock(file) ? readLock(file) : { contract: readContract(file), accepted: [] };

const isLock = (file: string): boolean => {
  try {
    return Object.hasOwn(Object(JSON.parse(readText(file))) as object, "lock");
  } catch {
    return false;
  }
};

/** Adds an acceptance to a lock, and leaves everything else as it is. */
export const addAcceptance = (file: string, acceptance: Acceptance): void => {
  const { accepted, ...lock } = parseLock(file);
  const isOther = ({ rule, path }: Acceptance): boolean =>
    rule !== acceptance.rule || path !== acceptance.path;
  write(file, { ...lock, accepted: [...accepted.filter(isOther), acceptance] });
};

interface LockFile {
  readonly lock: number;
  readonly accepted: readonly Acceptance[];
  readonly contract: SerialisedContract;
}

/** @throws {@link ContractError} when the file cannot be written. */
const write = (file: string, { lock, accepted, contract }: LockFile): void => {
  const text = `${JSON.stringify({ lock, accepted, contract }, undefined, 2)}\n`;
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ContractError(`${file} cannot be written: ${toReason(error)}`);
  }
};

const toReason = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const parseLock = (file: string): LockFile => {
  const text = readLockText(file);
  const broken = new ContractError(`${file} is no lock. Write it anew with \`sallyport lock\`.`);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw broken;
  }
  if (!isObject(given) || !isObject(given["contract"])) throw broken;
  if (given["lock"] !== version)
    throw new ContractError(
      `${file} was written by another version of @sallyport/contract. Write it anew with \`sallyport lock\`.`,
    );
  const { operations, schemas, servers, webhooks } = given["contract"];
  if (![operations, schemas, webhooks].every(isObject) || !Array.isArray(servers)) throw broken;
  const { accepted } = given;
  if (!Array.isArray(accepted) || !accepted.every(isAcceptance)) throw broken;
  // the rest is trusted: this program has written it
  return given as unknown as LockFile;
};

const isAcceptance = (given: unknown): boolean =>
  isObject(given) &&
  ["rule", "path", "why"].every((name) => {
    const text = given[name];
    return typeof text === "string" && text.trim() !== "";
  });

const readLockText = (file: string): string => {
  try {
    return readText(file);
  } catch (error) {
    throw new ContractError(
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? `There is no ${file}. Write it with \`sallyport lock\`, and commit it.`
        : `${file} cannot be read: ${toReason(error)}`,
    );
  }
};
