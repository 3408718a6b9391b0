import { testOnHost } from "./run-on-host.ts";

testOnHost("Bun");
