import { vi } from "vitest";
import { runMain } from "../../../src/front/cli/run-main.ts";

/** Runs a command of this package in the command line of `sallyport`. */
export const runCommand = async (...args: readonly string[]) => {
  const written = { out: "", err: "" };
  const capture = (stream: NodeJS.WriteStream, name: keyof typeof written) => {
    const write = (text: string, done?: () => void): boolean => {
      written[name] += text;
      done?.();
      return true;
    };
    return vi.spyOn(stream, "write").mockImplementation(write as never);
  };
  const captured = [capture(process.stdout, "out"), capture(process.stderr, "err")];
  try {
    const code = await runMain(args, () => import("../src/index.ts"));
    return { code, ...written };
  } finally {
    for (const one of captured) one.mockRestore();
  }
};
