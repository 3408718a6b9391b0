import { afterEach } from "vitest";
import { finish } from "./harness.ts";

// test files share a process and its modules, but each has hooks of its own
afterEach(finish);
