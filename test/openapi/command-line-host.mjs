// Runs one command after another in this process, instead of starting a process for each.
import process from "node:process";
import { runMain } from "../../src/front/cli/run-main.ts";

const capture = async (work) => {
  const written = { stdout: "", stderr: "" };
  const writers = Object.keys(written).map((name) => {
    const { write } = process[name];
    process[name].write = (text, done) => {
      written[name] += text;
      done?.();
      return true;
    };
    return () => (process[name].write = write);
  });
  try {
    return { status: await work(), ...written };
  } finally {
    for (const restore of writers) restore();
  }
};

process.on("message", async ({ cwd, args }) => {
  process.chdir(cwd);
  process.send(await capture(() => runMain(args)));
});
