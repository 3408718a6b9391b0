import { afterEach } from "vitest";
import { finish } from "./harness.ts";

// test files share a process and its modules, but each has its own hooks
afterEach(finish);
