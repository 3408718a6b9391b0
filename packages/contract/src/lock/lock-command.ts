import { defineCommand, type Io } from "../command.ts";
import { ContractError } from "../errors.ts";
import type { Change } from "./compare/change.ts";
import { compareContracts } from "./compare/compare-contracts.ts";
import { toApiDescription, type ApiDescription } from "@sallyport/document";
import { readLevels, type Levels } from "./verdict/levels.ts";
import { addAcceptance, readBase, readLock, writeLock } from "./file/lock-file.ts";
import { readContract } from "../read/read-contract.ts";
import { formats, toReport, type Format } from "./report/report.ts";
import { rules } from "./rules/rules.ts";
import { covers, judge, type FailOn } from "./verdict/verdict.ts";
import { toVisible } from "./verdict/visible.ts";

interface Source {
  readonly entry: string | undefined;
  readonly docs: string | undefined;
  readonly head: string | undefined;
}

const defaultLock = "api.lock.json";
const seriousness: readonly FailOn[] = ["breaking", "warning"];

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
      description:
        "A lock or an OpenAPI document to compare with; of a revision in Git, as origin/main:openapi.json",
    },
    head: {
      type: "string",
      hint: "file",
      description: "An OpenAPI document to use instead of that of the API",
    },
    "fail-on": {
      type: "string",
      hint: seriousness.join("|"),
      description: "What must be accepted; defaults to breaking, and to what opens access",
    },
    levels: {
      type: "string",
      hint: "file",
      description: "A JSON file with another level for some of the rules, each with a reason",
    },
    docs: {
      type: "string",
      hint: "path",
      description: "The document to use if `config.docs` lists several, by its path",
    },
    why: { type: "string", hint: "text", description: "Why a change is accepted" },
  },
  run: async (values, positionals, io) => {
    try {
      return await run(values, positionals, io);
    } catch (error) {
      if (error instanceof RangeError)
        throw new ContractError("A schema refers to itself in a way that cannot be compared.");
      throw error instanceof ContractError ? new ContractError(toVisible(error.message)) : error;
    }
  },
});

type Values = Readonly<
  Partial<
    Record<"base" | "docs" | "fail-on" | "format" | "head" | "levels" | "lock" | "why", string>
  >
> & { readonly check?: boolean };

const run = async (values: Values, positionals: readonly string[], io: Io): Promise<number> => {
  const { check = false, format, lock = defaultLock, base, head, docs, levels, why } = values;
  const { "fail-on": failOn } = values;
  if (format !== undefined && !isOneOf(formats, format))
    throw new ContractError(`--format must be one of ${formats.join(", ")}; got ${format}.`);
  if (failOn !== undefined && !isOneOf(seriousness, failOn))
    throw new ContractError(`--fail-on must be ${seriousness.join(" or ")}; got ${failOn}.`);
  const isAccepting = positionals[0] === "accept";
  const [entry, ...others] = isAccepting ? positionals.slice(3) : positionals;
  if (others.length > 0)
    throw new ContractError(
      `\`sallyport lock\` takes one entry; got ${[entry, ...others].join(" ")}.`,
    );
  if (entry !== undefined && head !== undefined)
    throw new ContractError(`--head stands for the API; leave out ${entry} or --head.`);
  const source: Source = { entry, docs, head };
  if (isAccepting) {
    if (check || base !== undefined)
      throw new ContractError("accept writes into the lock; leave out --check and --base.");
    return accept({ rule: positionals[1], path: positionals[2], why }, lock, source, io);
  }
  if (why !== undefined)
    throw new ContractError("--why belongs to `sallyport lock accept RULE PATH --why <text>`.");
  // a document to compare with is there for nothing else
  if (check || base !== undefined)
    return compare({ lock, base, format, failOn, levels }, source, io);
  const useless = (["format", "fail-on", "levels"] as const).find((name) => values[name]);
  if (useless) throw new ContractError(`--${useless} needs --check or --base.`);
  const contract = await readHead(source, io);
  writeLock(lock, contract);
  const { length } = Object.keys(contract.operations);
  io.out(`Wrote ${lock} (${length} ${length === 1 ? "operation" : "operations"})\n`);
  return 0;
};

const isOneOf = <Name extends string>(names: readonly Name[], given: string): given is Name =>
  names.some((name) => name === given);

/** Writes the lock of an OpenAPI document, whose file is given. */
export const lockDocument = (document: string, lock: string): void =>
  writeLock(lock, readContract(document));

const readHead = async ({ head, entry, docs }: Source, io: Io): Promise<ApiDescription> =>
  head === undefined
    ? toApiDescription(await io.readDocument(entry, docs), "the document of the API")
    : readContract(head);

const listChanges = async (
  contract: ApiDescription,
  source: Source,
  io: Io,
): Promise<readonly Change[]> => compareContracts(contract, await readHead(source, io));

interface Comparison {
  readonly lock: string;
  readonly base: string | undefined;
  readonly format: Format | undefined;
  readonly failOn: FailOn | undefined;
  readonly levels: string | undefined;
}

const noLevels: Levels = new Map();

const compare = async (
  { lock, base, format = "text", failOn = "breaking", levels: file }: Comparison,
  source: Source,
  io: Io,
): Promise<number> => {
  const levels = file === undefined ? noLevels : readLevels(file);
  const { contract, accepted } = base === undefined ? readLock(lock) : readBase(base);
  const changes = await listChanges(contract, source, io);
  const verdict = judge(changes, { accepted, levels, failOn });
  const options = [
    ...(source.entry === undefined ? [] : [source.entry]),
    ...(source.head === undefined ? [] : ["--head", source.head]),
    ...(source.docs === undefined ? [] : ["--docs", source.docs]),
    ...(lock === defaultLock ? [] : ["--lock", lock]),
  ];
  const own = base === undefined ? options.map((one) => ` ${one}`).join("") : undefined;
  io.out(toReport(verdict, format, source.head ?? source.entry ?? lock, own));
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
    throw new ContractError(
      "accept needs a rule and a path, as `sallyport lock --check` prints them.",
    );
  if (!rules.has(rule))
    throw new ContractError(
      `There is no rule ${rule}. \`sallyport lock --check\` prints the rule of each change.`,
    );
  if (why === undefined || why.trim() === "")
    throw new ContractError("--why is missing. Say why the change is accepted.");
  const { contract } = readLock(lock);
  const changes = await listChanges(contract, source, io);
  const found = changes.filter((change) => covers({ rule, path }, change));
  if (found.length === 0)
    throw new ContractError(
      `There is no change of the rule ${rule} at ${path} to accept. \`sallyport lock --check\` prints both.`,
    );
  addAcceptance(lock, { rule, path, why });
  io.out(
    found.map((change) => `Accepted ${toVisible(`${change.path}: ${change.text}`)}\n`).join(""),
  );
  return 0;
};
