import { defineCommand, type Io } from "../command.ts";
import { toUsageError } from "../errors.ts";
import type { Contract } from "./contract.ts";
import { compareContracts } from "./compare-contracts.ts";
import { addAcceptance, readLock, writeLock } from "./lock-file.ts";
import { normalise } from "./normalise-document.ts";
import { readContract } from "./read-document.ts";
import { formats, toReport, type Format } from "./report.ts";
import { rules } from "./rules.ts";
import { covers, judge, needsAcceptance } from "./verdict.ts";

interface Source {
  readonly entry: string | undefined;
  readonly docs: string | undefined;
  readonly head: string | undefined;
}

const defaultLock = "api.lock.json";

export const lockCommand = defineCommand({
  description: "Locks what clients depend on, and tells what a change breaks.",
  usage: [
    "[OPTIONS] [ENTRY]",
    "--check [OPTIONS] [ENTRY]",
    "accept RULE PATH --why <text> [OPTIONS] [ENTRY]",
  ],
  options: {
    check: {
      type: "boolean",
      description: "Compare with the lock, and fail if something breaks that is not accepted",
    },
    format: {
      type: "string",
      hint: formats.join("|"),
      description: "How changes are printed; defaults to text",
    },
    lock: { type: "string", hint: "file", description: `The lock; defaults to ${defaultLock}` },
    base: {
      type: "string",
      hint: "file",
      description: "An OpenAPI document to compare with, instead of the lock",
    },
    head: {
      type: "string",
      hint: "file",
      description: "An OpenAPI document to use instead of that of the API",
    },
    docs: {
      type: "string",
      hint: "path",
      description: "The document to use if `config.docs` lists several, by its path",
    },
    why: { type: "string", hint: "text", description: "Why a change is accepted" },
  },
  run: async (values, positionals, io) => {
    const { check = false, format, lock = defaultLock, base, head, docs, why } = values;
    if (format !== undefined && !isFormat(format))
      throw toUsageError(`--format must be one of ${formats.join(", ")}; got ${format}.`);
    const isAccepting = positionals[0] === "accept";
    const [entry, ...others] = isAccepting ? positionals.slice(3) : positionals;
    if (others.length > 0)
      throw toUsageError(
        `\`sallyport lock\` takes one entry; got ${[entry, ...others].join(" ")}.`,
      );
    if (entry !== undefined && head !== undefined)
      throw toUsageError(`--head stands for the API; leave out ${entry} or --head.`);
    const source: Source = { entry, docs, head };
    if (isAccepting) {
      if (check || base !== undefined)
        throw toUsageError("accept writes into the lock; leave out --check and --base.");
      return accept({ rule: positionals[1], path: positionals[2], why }, lock, source, io);
    }
    if (why !== undefined)
      throw toUsageError("--why belongs to `sallyport lock accept RULE PATH --why <text>`.");
    // a document to compare with is there for nothing else
    if (check || base !== undefined) return compare({ lock, base, format }, source, io);
    if (format !== undefined) throw toUsageError("--format needs --check or --base.");
    const contract = await readHead(source, io);
    writeLock(lock, contract);
    const { length } = Object.keys(contract.operations);
    io.out(`Wrote ${lock} (${length} ${length === 1 ? "operation" : "operations"})\n`);
    return 0;
  },
});

const isFormat = (format: string): format is Format =>
  (formats as readonly string[]).includes(format);

/** Writes the lock of an OpenAPI document, whose file is given. */
export const lockDocument = (document: string, lock: string): void =>
  writeLock(lock, readContract(document));

const readHead = async ({ head, entry, docs }: Source, io: Io): Promise<Contract> =>
  head === undefined
    ? normalise(await io.readDocument(entry, docs), "the document of the API")
    : readContract(head);

const compare = async (
  {
    lock,
    base,
    format = "text",
  }: { lock: string; base: string | undefined; format?: Format | undefined },
  source: Source,
  io: Io,
): Promise<number> => {
  const { contract, accepted } =
    base === undefined ? readLock(lock) : { contract: readContract(base), accepted: [] };
  const verdict = judge(compareContracts(contract, await readHead(source, io)), accepted);
  io.out(toReport(verdict, format));
  return verdict.isAcceptable ? 0 : 1;
};

const accept = async (
  {
    rule,
    path,
    why,
  }: { rule?: string | undefined; path?: string | undefined; why?: string | undefined },
  lock: string,
  source: Source,
  io: Io,
): Promise<number> => {
  if (rule === undefined || path === undefined)
    throw toUsageError("accept needs a rule and a path, as `sallyport lock --check` prints them.");
  if (!rules.has(rule))
    throw toUsageError(
      `There is no rule ${rule}. \`sallyport lock --check\` prints the rule of each change.`,
    );
  if (why === undefined || why.trim() === "")
    throw toUsageError("--why is missing. Say why the change is accepted.");
  const { contract } = readLock(lock);
  const found = compareContracts(contract, await readHead(source, io)).filter(
    (change) => needsAcceptance(change.level) && covers({ rule, path }, change),
  );
  if (found.length === 0)
    throw toUsageError(
      `There is no change of the rule ${rule} at ${path} to accept. \`sallyport lock --check\` prints both.`,
    );
  addAcceptance(lock, { rule, path, why });
  io.out(found.map((change) => `Accepted ${change.path}: ${change.text}\n`).join(""));
  return 0;
};
