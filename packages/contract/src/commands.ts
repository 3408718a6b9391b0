import type { Command } from "./command.ts";
import { lockCommand } from "./lock/lock-command.ts";
import { mockCommand } from "./mock/mock-command.ts";
import { verifyCommand } from "./verify/verify-command.ts";

/** What the command line of `sallyport` runs, by name. */
export const commands: Readonly<Record<"lock" | "mock" | "verify", Command>> = {
  lock: lockCommand,
  mock: mockCommand,
  verify: verifyCommand,
};
