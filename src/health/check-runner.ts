import type { Logger } from "../logger/logger.ts";
import type { HealthCheck } from "./health-options.ts";

/** The result of a check; the reason for a failure is only logged. */
export interface CheckResult {
  readonly status: "up" | "down";
  readonly milliseconds: number;
}

/** Runs one check, at most once per cache time, and logs each change of its state. */
export class CheckRunner {
  readonly name: string;
  readonly isCritical: boolean;
  readonly #check: Required<HealthCheck>["check"];
  readonly #timeout: number;
  readonly #cache: number;
  #latest: Promise<CheckResult> | undefined;
  #isRunning = false;
  /** Whether the last call of the check has not ended, although it may be late. */
  #isPending = false;
  #begin = 0;
  #status: CheckResult["status"] = "up";

  constructor(name: string, given: HealthCheck | HealthCheck["check"]) {
    const { check, critical, timeout, cache } =
      typeof given === "function" ? { check: given } : given;
    this.name = name;
    this.isCritical = critical ?? false;
    this.#check = check;
    this.#timeout = timeout ?? 2000;
    this.#cache = cache ?? 1000;
  }

  /** Returns the latest result, or runs the check; the promise never rejects. */
  find(logger: Logger): Promise<CheckResult> {
    const isOld = !this.#isRunning && performance.now() - this.#begin >= this.#cache;
    if (!this.#latest || isOld) this.#latest = this.#run(logger);
    return this.#latest;
  }

  async #run(logger: Logger): Promise<CheckResult> {
    this.#isRunning = true;
    this.#begin = performance.now();
    let status: CheckResult["status"] = "up";
    let error: unknown;
    try {
      await this.#checkInTime();
    } catch (thrown) {
      status = "down";
      error = thrown;
    }
    this.#isRunning = false;
    const milliseconds = Math.round(performance.now() - this.#begin);
    if (status !== this.#status) {
      this.#status = status;
      const check = `The health check "${this.name}"`;
      if (status === "up") logger.info(`${check} passes again`, { milliseconds });
      else logger[this.isCritical ? "error" : "warn"](`${check} fails`, { error, milliseconds });
    }
    return { status, milliseconds };
  }

  async #checkInTime(): Promise<void> {
    if (this.#isPending) throw new Error("The check is still running");
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`The check did not finish within ${this.#timeout} milliseconds`);
        abort.abort(error);
        reject(error);
      }, this.#timeout);
    });
    const checking = (async () => this.#check({ signal: abort.signal }))();
    this.#isPending = true;
    const settle = (): void => void (this.#isPending = false);
    checking.then(settle, settle);
    try {
      await Promise.race([checking, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
