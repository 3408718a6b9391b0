import { ContractError } from "../errors.ts";
import { hasDoubtfulText, readFiles, toSent, type Call, type Fields, type Sent } from "./call.ts";
import type { Case } from "./cases.ts";
import { judge } from "./judge.ts";
import { renew, type Given } from "./renew.ts";
import { checkResponse, isPrivate } from "./check-response.ts";
import { responseChecks, toFinding, type CheckName, type Finding } from "./check.ts";
import type { Coverage } from "./coverage.ts";
import { logIn, type Caller, type Credentials } from "./credentials.ts";
import { isProtected, type Api, type Operation } from "./operation.ts";
import { findFixture, findReason, type CheckOptions, type VerifyClient } from "./options.ts";
import { toClient } from "./recording-client.ts";
import { isEventStream, receive, TooLarge, type Received } from "./received.ts";
import { has, listValues, toCurl, toSteps, toTest, type Exchange, type Step } from "./steps.ts";

/** A check that failed, with the smallest call that shows it. */
export interface Failure {
  readonly operation: string;
  readonly check: CheckName;
  readonly message: string;
  /** What the call tries. */
  readonly label: string;
  readonly status: number;
  readonly request: Sent;
  /** The requests that show it, in order: of a login, of a fixture, of the check. */
  readonly steps: readonly Step[];
  /** The requests as commands. */
  readonly curl: string;
  /** The requests as a test. */
  readonly test: string;
}

/** What the call of a case led to. */
export interface Attempt extends Exchange {
  /** Undefined if there was no reply. */
  readonly received: Received | undefined;
  readonly findings: readonly Finding[];
}

type Fetch = VerifyClient["fetch"];

/** Where requests go. */
export interface Target {
  readonly fetch: Fetch;
  /** The address that failures show; undefined if the server runs in this process. */
  readonly origin?: string | undefined;
}

/** What an operation was called with. */
interface Calls {
  count: number;
  /** How many a rate limit has refused. */
  refused: number;
  /** The checks that were therefore not made. */
  readonly unmade: Set<CheckName>;
}

const maxFailures = 3;

/** One run of `verify`: sends calls, and collects what is wrong. */
export class Session {
  readonly api: Api;
  readonly options: CheckOptions;
  readonly seed: number;
  readonly coverage: Coverage;
  readonly failures: Failure[] = [];
  /** How often each check of an operation was made. */
  readonly checked = new Map<string, Map<CheckName, number>>();
  /** What could not be checked, with the reason. */
  readonly notes: string[] = [];
  calls = 0;
  /** Why the last request had no reply. */
  #silence = "There was no reply in time.";
  readonly #fetch: Fetch;
  readonly #origin: string | undefined;
  readonly #calls = new Map<string, Calls>();
  readonly #given = new Map<string, Given>();
  readonly #logins = new Map<string, Promise<Credentials | undefined>>();
  /** What each login has sent. */
  readonly #loginSteps: (readonly Exchange[])[] = [];

  constructor(
    api: Api,
    options: CheckOptions,
    seed: number,
    { fetch, origin }: Target,
    coverage: Coverage,
  ) {
    this.api = api;
    this.options = options;
    this.seed = seed;
    this.coverage = coverage;
    this.#fetch = coverage.watch(fetch);
    this.#origin = origin;
  }

  /** Logs in once for each operation and caller. */
  logIn(operation: Operation, caller: Caller): Promise<Credentials | undefined> {
    const key = `${operation.key} ${caller}`;
    const found = this.#logins.get(key) ?? this.#logIn(operation, caller);
    this.#logins.set(key, found);
    return found;
  }

  #logIn(operation: Operation, caller: Caller): Promise<Credentials | undefined> {
    const steps: Exchange[] = [];
    this.#loginSteps.push(steps);
    return logIn(caller, operation, this.options, toClient(this.#fetch, {}, steps));
  }

  /** Runs the fixture of an operation; returns the fields that calls are to be built with. */
  async prepare(operation: Operation): Promise<Fields> {
    const fixture = findFixture(this.options, operation);
    const credentials = (await this.logIn(operation, "own")) ?? {};
    const steps: Exchange[] = [];
    try {
      const client = toClient(this.#fetch, credentials, steps);
      const now = fixture ? await readFiles((await fixture(client)) ?? {}) : {};
      const first = this.#given.get(operation.key)?.first ?? now;
      this.#given.set(operation.key, { first, now, steps });
      return now;
    } catch (error) {
      this.#given.set(operation.key, {
        first: {},
        now: {},
        ...this.#given.get(operation.key),
        steps,
      });
      throw new ContractError(
        `The fixture of ${operation.key} failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** Sends the call of a case, and checks the reply; what a rate limit refuses does not count. */
  async attempt({ call, kind, check }: Case): Promise<Attempt> {
    const { operation } = call;
    const sent = this.write(call);
    const before = this.fixtureSteps(operation);
    const received = await this.send(sent, operation);
    if (!received)
      return {
        ...{ sent, received, before },
        findings: [toFinding("not_a_server_error", this.#silence)],
      };
    const isAnonymous = received.status === 401 && Object.keys(call.credentials).length === 0;
    const asked = isAnonymous && isProtected(operation) ? "neutral" : kind;
    const findings = [...checkResponse(operation, received, asked, this.api)];
    if (received.status === 429) this.leaveOut(operation, check);
    else {
      for (const name of responseChecks) this.count(operation, name);
      if (isPrivate(operation, received)) this.count(operation, "public_cache");
      // a schema that trims, or refuses control characters, says nothing of it in a document
      const isDoubtful = kind === "positive" && hasDoubtfulText(call);
      if (kind !== "neutral" && !isDoubtful && received.status < 500) {
        this.count(operation, check);
        findings.push(...judge(kind, check, received, this.api));
      }
    }
    if (received.status < 300 && operation.method !== "get") await this.#refresh(operation);
    const isWanted = ({ check: name }: Finding): boolean =>
      findReason(this.options, operation, name) === undefined;
    return { sent, received, before, findings: findings.filter(isWanted) };
  }

  /** Reports that an operation can be verified no further, because of its login or fixture. */
  giveUp(operation: Operation, message: string): void {
    const steps = this.fixtureSteps(operation);
    const sent = { method: operation.method.toUpperCase(), url: operation.path, headers: {} };
    const shown =
      steps.length > 0 ? steps : [{ sent: { ...sent, body: undefined }, received: undefined }];
    this.reportSteps(
      operation,
      "the login and the fixture",
      shown,
      toFinding("positive_answer", message),
    );
  }

  /** Returns what the fixture of an operation has sent last. */
  fixtureSteps({ key }: Operation): readonly Exchange[] {
    return this.#given.get(key)?.steps ?? [];
  }

  /** Writes a call, with a new idempotency key and the latest fields of the fixture. */
  write(call: Call): Sent {
    return toSent(renew(call, this.#given.get(call.operation.key)));
  }

  /** Returns the path that a reply to a request refers to. */
  toPath(reference: string, target: string): string {
    const start = new URL(this.#origin ?? "http://localhost").pathname.replace(/\/$/, "");
    const { pathname, search } = new URL(reference, `http://localhost${start}${target}`);
    const isBelow = pathname.startsWith(`${start}/`);
    return `${isBelow ? pathname.slice(start.length) : pathname}${search}`;
  }

  /** Sends a request; returns undefined if no reply comes. */
  async send(
    { method, url, headers, body }: Sent,
    operation: Operation,
  ): Promise<Received | undefined> {
    const calls = this.#toCalls(operation);
    calls.count++;
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
      if (response.status === 429) calls.refused++;
      return await receive(response, patience);
    } catch (error) {
      if (error instanceof TooLarge) this.#silence = error.message;
      else if (controller.signal.aborted) this.#silence = "There was no reply in time.";
      else this.#silence = "The connection was closed before the reply was complete.";
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records what is wrong, unless it is known. */
  report(operation: Operation, label: string, attempt: Exchange, found: Finding): void {
    this.reportSteps(operation, label, [attempt], found);
  }

  /** Records what several requests have shown to be wrong, unless it is known. */
  reportSteps(
    operation: Operation,
    label: string,
    exchanges: readonly Exchange[],
    found: Finding,
  ): void {
    const last = exchanges.at(-1);
    if (!last || !this.isNew(operation, found)) return;
    const { check, message, expectation } = found;
    const steps = toSteps(this.#withCauses(exchanges));
    const name = `${operation.key}: ${message}`;
    this.failures.push({
      ...{ operation: operation.key, check, message, label },
      status: last.received?.status ?? 0,
      request: last.sent,
      steps,
      curl: toCurl(steps, this.#origin ?? `http://localhost:${toPort(this.options)}`),
      test: toTest(steps, { name, expectation, origin: this.#origin }),
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

  /** Notes what a rate limit has kept from being checked. */
  noteLimits(operation: Operation): void {
    const { count, refused, unmade } = this.#toCalls(operation);
    if (refused === 0) return;
    const counts = this.checked.get(operation.key);
    const never = [...unmade].filter((check) => !counts?.has(check));
    const missing = never.length > 0 ? `; never checked: ${never.join(", ")}` : "";
    this.notes.push(
      `${operation.key}: a rate limit refused ${refused} of ${count} calls with 429${missing}. ${limitFix(this.options)}.`,
    );
  }

  /** Notes that a check could not be made. */
  leaveOut(operation: Operation, check: CheckName): void {
    this.#toCalls(operation).unmade.add(check);
  }

  #toCalls({ key }: Operation): Calls {
    const found = this.#calls.get(key) ?? { count: 0, refused: 0, unmade: new Set() };
    this.#calls.set(key, found);
    return found;
  }

  /** Puts what logins and the fixture have sent before the requests of a check. */
  #withCauses(exchanges: readonly Exchange[]): readonly Exchange[] {
    const own = [...(exchanges.find((one) => one.before)?.before ?? []), ...exchanges];
    const logins = this.#loginSteps.filter((steps) =>
      steps.some(({ received }) =>
        listValues(received).some(({ value }) => own.some(({ sent }) => has(sent, value))),
      ),
    );
    return [...logins.flat(), ...own];
  }

  /** Creates what the next calls need, once a call may have changed it. */
  async #refresh(operation: Operation): Promise<void> {
    if (findFixture(this.options, operation)) await this.prepare(operation);
  }
}

/** Tells how calls get past a rate limit. */
export const limitFix = ({ routing, config }: CheckOptions): string =>
  `Let a fixture return another key of the rate limit for each call, or raise the limit for the test${!routing || config?.trustProxy ? "" : "; for a limit by address, set `trustProxy: 1` in the configuration, so that each call has its own"}`;

const toPort = ({ config }: CheckOptions): number => {
  const listen: unknown = config?.http?.listen;
  const port = typeof listen === "object" && listen !== null ? Reflect.get(listen, "port") : listen;
  return typeof port === "number" && port > 0 ? port : 8090;
};

const toAddress = (count: number): string =>
  `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
