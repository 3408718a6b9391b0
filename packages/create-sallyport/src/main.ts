#!/usr/bin/env node
import { run } from "./run.ts";

process.exitCode = await run(process.argv.slice(2), {
  folder: process.cwd(),
  environment: process.env,
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
});
