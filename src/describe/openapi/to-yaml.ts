import type { ScalarTag } from "yaml";
import { loadYaml } from "../../basics/lazy/packages.cjs";

/** What readers of YAML 1.1 take for something else, besides what `compat` quotes: `=`, and numbers such as `1e-7`. */
const tags: readonly ScalarTag[] = [
  { tag: "tag:yaml.org,2002:value", default: true, test: /^=$/, resolve: (text) => text },
  {
    ...{ tag: "tag:yaml.org,2002:float", default: true, test: /^-?\d\.0e/, resolve: Number },
    identify: (value) => typeof value === "number" && /^-?\de/.test(String(value)),
    stringify: ({ value }) => String(value).replace("e", ".0e"),
  },
];

/** Writes a document as YAML without anchors, which some readers do not support, and as YAML 1.1 reads it, too. */
export const toYaml = (document: object): string =>
  loadYaml()(document, {
    ...{ aliasDuplicateObjects: false, lineWidth: 0, compat: "yaml-1.1" },
    customTags: (others) => [...tags, ...others],
  });
