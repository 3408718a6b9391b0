import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const minutes = Number(process.env["SALLYPORT_SOAK_MINUTES"] ?? 10);
const clients = 8;

const agent = new Agent({ keepAlive: true, maxSockets: clients + 1 });

const ask = (
  port: number,
  method: string,
  path: string,
  body?: string,
): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const request = httpRequest(
      { host: "127.0.0.1", port, method, path, headers, agent },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("end", () => resolve([response.statusCode ?? 0, text]));
      },
    );
    request.on("error", reject).end(body);
  });

/** The requests that clients send, each with the expected status; 15 % are bad. */
const requests: readonly (readonly [string, string, string | undefined, number])[] = Array.from(
  { length: 100 },
  (_, index) => {
    if (index % 20 === 0) return ["GET", "/items/none", undefined, 400];
    if (index % 20 === 7) return ["POST", "/items", '{"name":"","tags":[1]}', 400];
    if (index % 20 === 13) return ["POST", "/items", '{"broken"', 400];
    if (index % 3 === 0) return ["POST", "/items", '{"name":"Ada","tags":["a"]}', 200];
    return ["GET", `/items/${index}?tag=x`, undefined, 200];
  },
);

/** Fits a line to points, and returns the slope with its standard error. */
const fit = (points: readonly (readonly [number, number])[]): { slope: number; error: number } => {
  const count = points.length;
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / count;
  const [meanX, meanY] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (count - 2) / spread) };
};

/** Runs a program under load; returns the growth of its heap, measured after collections, in KiB per minute. */
const soak = async (
  name: string,
): Promise<{ readonly sent: number; readonly wrong: string[]; slope: number; error: number }> => {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, ["--expose-gc", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(/port (\d+)/.exec(line.toString())?.[1]);
  const end = performance.now() + minutes * 60_000;
  // the first minute is a warm-up, in which code is compiled and caches fill
  const begin = performance.now() + Math.min(60_000, minutes * 20_000);
  let sent = 0;
  const wrong: string[] = [];
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const [method, path, body, status] = requests[sent++ % requests.length] ?? [
        "GET",
        "/",
        undefined,
        404,
      ];
      const [given] = await ask(port, method, path, body);
      if (given !== status) wrong.push(`${method} ${path}: ${given}`);
    }
  };
  const points: [number, number][] = [];
  const watch = async (): Promise<void> => {
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, minutes * 1000));
      const [, text] = await ask(port, "GET", "/heap");
      const { data } = JSON.parse(text) as { data: { used: number } };
      if (performance.now() > begin) points.push([performance.now() / 60_000, data.used / 1024]);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: clients }, client)]);
  child.kill();
  return { sent, wrong, ...fit(points) };
};

// even after millions of requests, V8's own data (feedback, compiled code) grows by a few KiB a minute, as the server with
// bare node:http and Zod shows; any further growth would be caused by this package
test("S6: under load with 15 % bad input the heap grows no more than that of bare node:http", async () => {
  const [own, control] = await Promise.all([soak("soak-program.mjs"), soak("soak-control.mjs")]);
  const difference = own.slope - control.slope;
  const error = Math.hypot(own.error, control.error);
  // oxlint-disable-next-line no-console -- printing the figures is the purpose of this test
  console.log(
    [
      `${own.sent} requests, heap slope ${own.slope.toFixed(2)} ± ${own.error.toFixed(2)} KiB a minute;`,
      `control: ${control.sent} requests, ${control.slope.toFixed(2)} ± ${control.error.toFixed(2)};`,
      `difference ${difference.toFixed(2)} ± ${error.toFixed(2)}`,
    ].join(" "),
  );
  expect([...own.wrong, ...control.wrong]).toEqual([]);
  expect(difference - 2 * error).toBeLessThanOrEqual(0);
  // a leak of one byte per request would be over 500 KiB a minute
  expect(own.slope).toBeLessThan(100);
});
