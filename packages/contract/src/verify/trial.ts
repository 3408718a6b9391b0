import { setTimeout } from "node:timers/promises";
import type { Call, Sent } from "./call.ts";
import { checkAnyReply } from "./check-any-reply.ts";
import { toFinding, type CheckName } from "./check.ts";
import type { Operation } from "./operation.ts";
import { findReason } from "./options.ts";
import type { Received } from "./received.ts";
import type { Session } from "./session.ts";
import type { Exchange } from "./steps.ts";

/** Makes a check of an operation, unless it is to be left out; `make` returns whether it could be made. */
export const tryCheck = async (
  session: Session,
  operation: Operation,
  check: CheckName,
  label: string,
  make: (trial: Trial) => Promise<boolean>,
): Promise<void> => {
  if (findReason(session.options, operation, check) !== undefined) return;
  const trial = new Trial(session, operation, check, label);
  try {
    if (await make(trial)) session.count(operation, check);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    if (trial.hasFailed) session.count(operation, check);
    else session.leaveOut(operation, check);
  }
};

/** Ends a check that cannot be made, because a rate limit refuses a request or no reply comes. */
class Stopped extends Error {}

/** The requests of one check of an operation, which a failure shows. */
export class Trial {
  readonly check: CheckName;
  hasFailed = false;
  readonly #session: Session;
  readonly #operation: Operation;
  #label: string;
  #steps: Exchange[] = [];

  constructor(session: Session, operation: Operation, check: CheckName, label: string) {
    this.check = check;
    this.#session = session;
    this.#operation = operation;
    this.#label = label;
  }

  /** Runs the fixture again, and forgets the requests so far. */
  async prepare(): Promise<void> {
    this.#steps = [];
    await this.#session.prepare(this.#operation);
  }

  /** Forgets the requests so far. */
  forget(): void {
    this.#steps = [];
  }

  /**
   * Sends a call, and checks that the reply is as declared.
   *
   * @throws {@link Stopped} when a rate limit refuses it, or no reply comes.
   */
  async call(call: Call, label = this.#label): Promise<Received> {
    const attempt = await this.#session.attempt({
      ...{ call, kind: "neutral", label, check: this.check },
    });
    this.#label = label;
    for (const finding of attempt.findings)
      this.#session.report(call.operation, label, attempt, finding);
    this.#steps.push(attempt);
    return this.#use(attempt.received);
  }

  /**
   * Sends a request as it is.
   *
   * @throws {@link Stopped} when a rate limit refuses it, or no reply comes.
   */
  async send(sent: Sent): Promise<Received> {
    const received = await this.#session.send(sent, this.#operation);
    return this.#take({ sent, received });
  }

  /**
   * Sends two requests at once.
   *
   * @param hasStarted whether the other one is sent only when work on the first one must have begun
   * @throws {@link Stopped} when a rate limit refuses one, or a reply does not come.
   */
  async sendTogether(
    one: Sent,
    other: Sent,
    hasStarted = false,
  ): Promise<readonly [one: Received, other: Received]> {
    const sending = this.#session.send(one, this.#operation);
    if (hasStarted) await Promise.race([sending, setTimeout(2)]);
    const second = await this.#session.send(other, this.#operation);
    const first = await sending;
    return [
      this.#take({ sent: one, received: first, isTogether: true }),
      this.#take({ sent: other, received: second }),
    ];
  }

  /** The last request. */
  get sent(): Sent {
    const last = this.#steps.at(-1);
    if (!last) throw new Error("Nothing has been sent");
    return last.sent;
  }

  /** Reports that the check fails, as the last reply shows. */
  fail(message: string, expectation = ""): true {
    this.hasFailed = true;
    const finding = toFinding(this.check, message, expectation);
    this.#session.reportSteps(this.#operation, this.#label, this.#steps, finding);
    return true;
  }

  /** Records a request, and checks what holds for each reply. */
  #take(exchange: Exchange & { readonly received: Received | undefined }): Received {
    const { received } = exchange;
    this.#steps.push({ ...exchange, before: this.#session.fixtureSteps(this.#operation) });
    for (const finding of received ? checkAnyReply(received) : [])
      this.#session.reportSteps(this.#operation, this.#label, this.#steps, finding);
    return this.#use(received);
  }

  #use(received: Received | undefined): Received {
    if (!received || received.status === 429) throw new Stopped();
    return received;
  }
}
