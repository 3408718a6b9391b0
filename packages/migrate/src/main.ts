#!/usr/bin/env node
import { runMain } from "./run-main.ts";

process.exitCode = await runMain(process.argv.slice(2), {
  directory: process.cwd(),
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
