import { createHash } from "node:crypto";
import { rules } from "../rules/rules.ts";
import {
  isOpen,
  listReasons,
  nothing,
  type JudgedChange,
  type Verdict,
} from "../verdict/verdict.ts";

const toMessage = (change: JudgedChange): string =>
  [`${change.path}: ${change.text}. [${change.rule}]`, ...listReasons(change)].join("; ");

/**
 * Writes an annotation for each change but harmless ones.
 *
 * @see https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export const toAnnotations = ({ changes, bump, failOn }: Verdict, file: string): string => {
  const lines = changes
    .filter(({ level }) => level !== "harmless")
    .map((change) => {
      const command = isOpen(change, failOn)
        ? "error"
        : change.level === "warning" && change.why === undefined
          ? "warning"
          : "notice";
      const [at, title] = [file, `API: ${change.level}`].map(toProperty);
      return `::${command} file=${at},title=${title}::${toData(toMessage(change))}\n`;
    });
  return `${lines.join("")}${bump === undefined ? nothing : `Next version: ${bump}`}\n`;
};

const toData = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const toProperty = (text: string): string =>
  toData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Writes a test case for each change, which fails if the change is open. */
export const toJUnit = ({ changes, failOn }: Verdict): string => {
  const cases = changes.map((change) => {
    const { operation, path, text, rule, level, why } = change;
    const head = `<testcase classname="${toXml(operation)}" name="${toXml(`${path}: ${rule}`)}"`;
    const message = toXml([text, ...listReasons(change)].join("; "));
    if (isOpen(change, failOn))
      return `${head}>\n      <failure type="${level}" message="${message}"/>\n    </testcase>`;
    if (why === undefined) return `${head}/>`;
    return `${head}>\n      <skipped message="${message}"/>\n    </testcase>`;
  });
  const failures = changes.filter((change) => isOpen(change, failOn)).length;
  const skipped = changes.filter(({ why }) => why !== undefined).length;
  // some readers take a report without test cases for a failure
  const all = cases.length > 0 ? cases : [`<testcase classname="document" name="${nothing}"/>`];
  const counts = `tests="${all.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="sallyport lock" ${counts}>
${all.map((one) => `    ${one}`).join("\n")}
  </testsuite>
</testsuites>
`;
};

const toXml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const sarifLevels = { breaking: "error", access: "error", warning: "warning", harmless: "note" };

/** @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export const toSarif = ({ changes }: Verdict, file: string): string => {
  const ids = [...new Set(changes.map(({ rule }) => rule))];
  const results = changes.map((change) => {
    const { rule, level, path, text, why } = change;
    return {
      ruleId: rule,
      ruleIndex: ids.indexOf(rule),
      level: sarifLevels[level],
      message: { text: toSarifText(toMessage(change)) },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: encodeURI(file.replaceAll("\\", "/")) },
            region: { startLine: 1 },
          },
          logicalLocations: [{ fullyQualifiedName: path }],
        },
      ],
      // all changes are in one line, so that this alone tells them apart
      partialFingerprints: { primaryLocationLineHash: toHash(`${rule} ${path} ${text}`) },
      ...(why !== undefined && { suppressions: [{ kind: "external", justification: why }] }),
    };
  });
  const driver = {
    name: "sallyport lock",
    rules: ids.map((id) => ({ id, shortDescription: { text: toSarifText(toWords(id)) } })),
  };
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
};

const toWords = (rule: string): string =>
  (rules.get(rule)?.words ?? rule).replaceAll(/\{\w+\}/g, "…");

/** Writes text that has no placeholders and no links. */
const toSarifText = (text: string): string =>
  text.replaceAll(/[{}]/g, "$&$&").replaceAll("](", "] (");

const toHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);
