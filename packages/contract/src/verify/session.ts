import { ContractError } from "../errors.ts";
import {
  Malformed,
  readFiles,
  toCurl,
  toSent,
  toTest,
  type Call,
  type Fields,
  type Sent,
} from "./call.ts";
import { newKey, type Case } from "./cases.ts";
import { checkResponse } from "./check-response.ts";
import { responseChecks, toFinding, type CheckName, type Finding } from "./check.ts";
import type { Coverage } from "./coverage.ts";
import { logIn, type Caller, type Credentials } from "./credentials.ts";
import type { Api, Operation } from "./operation.ts";
import { findFixture, findReason, type VerifyClient, type VerifyOptions } from "./options.ts";
import { isEventStream, receive, type Received } from "./received.ts";

/** A check that failed, with the smallest call that shows it. */
export interface Failure {
  readonly operation: string;
  readonly check: CheckName;
  readonly message: string;
  /** What the call tries. */
  readonly label: string;
  readonly status: number;
  readonly request: Sent;
  /** The call as a command. */
  readonly curl: string;
  /** The call as a test. */
  readonly test: string;
}

/** What the call of a case led to. */
export interface Attempt {
  readonly sent: Sent;
  /** Undefined if there was no reply. */
  readonly received: Received | undefined;
  readonly findings: readonly Finding[];
}

type Fetch = VerifyClient["fetch"];

const maxFailures = 3;

/** One run of `verify`: sends calls, and collects what is wrong. */
export class Session {
  readonly api: Api;
  readonly options: VerifyOptions;
  readonly seed: number;
  readonly coverage: Coverage;
  readonly failures: Failure[] = [];
  /** How often each check of an operation was made. */
  readonly checked = new Map<string, Map<CheckName, number>>();
  /** What could not be checked, with the reason. */
  readonly notes: string[] = [];
  calls = 0;
  readonly #fetch: Fetch;
  #keys = 0;
  /** The field values of fixtures, as in the calls that were built first, and as they are now. */
  #given = new Map<string, { readonly first: Fields; now: Fields }>();
  #logins = new Map<string, Promise<Credentials | undefined>>();

  constructor(api: Api, options: VerifyOptions, seed: number, fetch: Fetch, coverage: Coverage) {
    this.api = api;
    this.options = options;
    this.seed = seed;
    this.coverage = coverage;
    this.#fetch = coverage.watch(fetch);
  }

  /** Logs in once for each operation and caller. */
  logIn(operation: Operation, caller: Caller): Promise<Credentials | undefined> {
    const key = `${operation.key} ${caller}`;
    const client: VerifyClient = { fetch: this.#fetch, send: this.#toSend({}) };
    const found = this.#logins.get(key) ?? logIn(caller, operation, this.api, this.options, client);
    this.#logins.set(key, found);
    return found;
  }

  /** Runs the fixture of an operation; returns the fields that calls are to be built with. */
  async prepare(operation: Operation): Promise<Fields> {
    const fixture = findFixture(this.options, operation);
    const credentials = (await this.logIn(operation, "own")) ?? {};
    try {
      const client = { fetch: this.#fetch, send: this.#toSend(credentials) };
      const now = fixture ? await readFiles((await fixture(client)) ?? {}) : {};
      const first = this.#given.get(operation.key)?.first ?? now;
      this.#given.set(operation.key, { first, now });
      return now;
    } catch (error) {
      throw new ContractError(
        `The fixture of ${operation.key} failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** Sends the call of a case, and checks the reply. */
  async attempt({ call, kind, check }: Case): Promise<Attempt> {
    const { operation } = call;
    const sent = toSent(this.#renew(call));
    const received = await this.send(sent);
    if (!received)
      return {
        ...{ sent, received },
        findings: [toFinding("not_a_server_error", "There was no reply in time.")],
      };
    for (const name of responseChecks) this.count(operation, name);
    const findings = [...checkResponse(operation, received, this.api.schemas)];
    if (kind !== "neutral" && received.status < 500) {
      this.count(operation, check);
      findings.push(...judge(kind, check, received));
    }
    if (received.status < 300 && operation.method !== "get") await this.#refresh(operation);
    return { sent, received, findings: findings.filter((one) => this.#isWanted(operation, one)) };
  }

  /** Sends a request; returns undefined if no reply comes. */
  async send({ method, url, headers, body }: Sent): Promise<Received | undefined> {
    this.calls++;
    const { patience = 5000, config } = this.options;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), patience);
    try {
      const response = await this.#fetch(url, {
        method,
        headers: {
          ...(config?.trustProxy && { "x-forwarded-for": toAddress(this.calls) }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        signal: controller.signal,
      });
      // the events of a stream may come late, which is waited for by itself
      if (isEventStream(response)) clearTimeout(timer);
      return await receive(response, patience);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records what is wrong, unless it is known. */
  report(operation: Operation, label: string, { sent, received }: Attempt, found: Finding): void {
    const { check, message, expectation } = found;
    if (!this.isNew(operation, found)) return;
    this.failures.push({
      ...{ operation: operation.key, check, message, label },
      status: received?.status ?? 0,
      request: sent,
      curl: toCurl(sent),
      test: toTest(sent, `${operation.key}: ${message}`, expectation),
    });
  }

  isNew(operation: Operation, { check, message }: Finding): boolean {
    const known = this.failures.filter(
      (one) => one.operation === operation.key && one.check === check,
    );
    return known.length < maxFailures && !known.some((one) => one.message === message);
  }

  /** Counts a check, unless it is to be left out; returns whether it is to be made. */
  count(operation: Operation, check: CheckName): boolean {
    if (findReason(this.options, operation, check) !== undefined) return false;
    const counts = this.checked.get(operation.key) ?? new Map<CheckName, number>();
    this.checked.set(operation.key, counts.set(check, (counts.get(check) ?? 0) + 1));
    return true;
  }

  #isWanted(operation: Operation, { check }: Finding): boolean {
    return findReason(this.options, operation, check) === undefined;
  }

  /** Creates what the next calls need, once a call may have changed it. */
  async #refresh(operation: Operation): Promise<void> {
    if (findFixture(this.options, operation)) await this.prepare(operation);
  }

  /** Replaces what earlier calls have used up. */
  #renew(call: Call): Call {
    const { first = {}, now = {} } = this.#given.get(call.operation.key) ?? {};
    const renewFields = (fields: Fields): Fields =>
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => {
          if (name === "idempotency-key" && value === newKey)
            return [name, `verify-${this.seed}-${++this.#keys}`];
          const isFirst = Object.hasOwn(first, name) && value === first[name];
          return [name, isFirst && Object.hasOwn(now, name) ? now[name] : value];
        }),
      );
    const { path, query, header, cookie, body } = call;
    const value = body?.value;
    const isFields =
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      !(value instanceof Malformed);
    return {
      ...call,
      ...{ path: renewFields(path), query: renewFields(query) },
      ...{ header: renewFields(header), cookie: renewFields(cookie) },
      body: body && { type: body.type, value: isFields ? renewFields(value as Fields) : value },
    };
  }

  #toSend(credentials: Credentials): VerifyClient["send"] {
    return (target, body, headers = {}) => {
      const [method = "GET", path = "/"] = target.split(" ");
      return this.#fetch(path, {
        method,
        headers: {
          ...credentials,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    };
  }
}

const toAddress = (count: number): string =>
  `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;

const judge = (
  kind: "positive" | "negative",
  check: CheckName,
  { status, json, text }: Received,
): readonly Finding[] => {
  if (kind === "negative")
    return status < 400
      ? [
          toFinding(
            check,
            `What the document forbids is accepted with ${status}.`,
            "assert.ok(response.status >= 400);",
          ),
        ]
      : [];
  const isRefused = status === 400 || status === 415 || text.includes('"SLP_INPUT_INVALID"');
  if (!isRefused || isByFunction(json)) return [];
  return [
    toFinding(
      "positive_data_acceptance",
      `What the document allows is refused with ${status}.`,
      `assert.notEqual(response.status, ${status});`,
    ),
  ];
};

/** Whether only functions of the application refuse an input, of which no document can tell. */
const isByFunction = (json: unknown): boolean => {
  const read = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  const issues = read(read(json, "error"), "issues") ?? read(json, "issues");
  return (
    Array.isArray(issues) &&
    issues.length > 0 &&
    issues.every((one) => read(one, "code") === "custom")
  );
};
