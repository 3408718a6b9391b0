#!/usr/bin/env node
import { runMain } from "./run-main.ts";

process.exit(await runMain(process.argv.slice(2)));
