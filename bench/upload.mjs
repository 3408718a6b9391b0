// npm run bench:upload: measures how the resident memory of a server grows while it writes a large file to disk.
import { request as httpRequest } from "node:http";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startServer, versionOf } from "./measure.mjs";
import { findNode } from "./peers.mjs";

const { values } = parseArgs({
  options: {
    megabytes: { type: "string", default: "500" },
    node: { type: "string", default: "24" },
    help: { type: "boolean", default: false },
  },
});

const readMemory = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

const boundary = "a-boundary-of-the-bench";

const upload = (port, megabytes) =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...{ port, path: "/upload", method: "POST" },
        headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece) => (text += piece));
        response.on("end", () => resolve(text));
      },
    );
    request.on("error", reject);
    request.write(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`,
    );
    const piece = Buffer.alloc(1_048_576, "x");
    let sent = 0;
    const send = () => {
      while (sent++ < megabytes)
        if (!request.write(piece)) {
          request.once("drain", send);
          return;
        }
      request.end(`\r\n--${boundary}--\r\n`);
    };
    send();
  });

const main = async () => {
  if (values.help) {
    process.stdout.write(
      "Measures the growth of a server's resident memory during an upload.\n\n  --megabytes 500  --node 24\n",
    );
    return;
  }
  const node = findNode(values.node);
  const { pid, port, stop } = await startServer({ file: "servers/upload.mjs", node, port: 9400 });
  try {
    await upload(port, 1);
    const before = readMemory(pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, readMemory(pid))), 10);
    const answer = await upload(port, Number(values.megabytes));
    clearInterval(watch);
    process.stdout.write(
      `Node.js ${versionOf(node)}, ${values.megabytes} MiB: +${(most - before).toFixed(1)} MiB of resident memory\n${answer}\n`,
    );
  } finally {
    await stop();
  }
};

await main();
