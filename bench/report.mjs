// Writes the results into docs/internals/performance.md, and a plot next to it.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../docs/internals/performance.md", import.meta.url));
const plot = fileURLToPath(new URL("../docs/internals/performance.svg", import.meta.url));

export const writeReport = (report) => {
  const text = readFileSync(page, "utf8");
  const begin = "<!-- bench -->";
  const end = "<!-- /bench -->";
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (tail === undefined) throw new Error(`${page} has no section from ${begin} to ${end}`);
  writeFileSync(page, `${head}${begin}\n\n${toTable(report)}\n\n${end}${tail}`);
  writeFileSync(plot, toPlot(report));
  process.stdout.write(`\nWritten to ${page} and ${plot}\n`);
};

const toTable = ({ results, titles, version, cpu, rounds, seconds }) => {
  const workloads = Object.keys(results);
  const rows = Object.entries(titles).map(([name, title]) => {
    const cells = workloads.map((workload) => {
      const { cost, share } = results[workload].find((one) => one.name === name);
      return `${cost.toFixed(1)} (${share.toFixed(2)})`;
    });
    return `| ${[title, ...cells].join(" | ")} |`;
  });
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)}, Node.js ${version.slice(1)}, ${cpu}; medians of ${rounds} rounds of ${seconds} s.`,
    "",
    `| Server | ${workloads.join(" | ")} |`,
    `| --- | ${workloads.map(() => "---").join(" | ")} |`,
    ...rows,
  ].join("\n");
};

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Draws a bar for each server and workload; the longest bar is that of the slowest server. */
const toPlot = ({ results, titles }) => {
  const bar = 18;
  const names = Object.keys(titles);
  const lines = [];
  let y = 20;
  for (const [workload, rows] of Object.entries(results)) {
    lines.push(`<text x="8" y="${y + 4}" font-weight="bold">${workload}</text>`);
    y += 14;
    const longest = Math.max(...rows.map(({ cost }) => cost));
    for (const name of names) {
      const { cost } = rows.find((row) => row.name === name);
      const width = Math.round((cost / longest) * 380);
      const fill = name === "sallyport" ? "#c2410c" : name === "bare" ? "#475569" : "#94a3b8";
      lines.push(
        `<text x="308" y="${y + 13}" text-anchor="end">${escape(titles[name])}</text>`,
        `<rect x="316" y="${y + 2}" width="${width}" height="${bar - 5}" fill="${fill}"/>`,
        `<text x="${322 + width}" y="${y + 13}">${cost.toFixed(1)} µs</text>`,
      );
      y += bar;
    }
    y += 16;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="780" height="${y}" font-family="sans-serif" font-size="11">`,
    `<title>CPU time of the server per request, in microseconds; lower is better</title>`,
    "<style>.paper{fill:#fff}text{fill:#1f2937}@media (prefers-color-scheme:dark){.paper{fill:#0f172a}text{fill:#e2e8f0}}</style>",
    `<rect class="paper" width="780" height="${y}"/>`,
    ...lines,
    "</svg>\n",
  ].join("\n");
};
