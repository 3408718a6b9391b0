import { loadYaml } from "../lazy/packages.ts";

/** Writes a document as YAML, without anchors, which some readers do not support. */
export const toYaml = (document: object): string =>
  loadYaml()(document, { aliasDuplicateObjects: false, lineWidth: 0 });
