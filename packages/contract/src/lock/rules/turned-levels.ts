import type { Level } from "./rule.ts";
import type { RuleId } from "./rules.ts";

/**
 * The levels of rules where the server sends the requests, as in webhooks: there, requests may say less and answers may
 * say more. Schemas and the contents of messages have rules for either direction.
 */
export const turnedLevels: Partial<Readonly<Record<RuleId, Level>>> = {
  "required-parameter-added": "harmless",
  "parameter-became-required": "harmless",
  "parameter-became-optional": "breaking",
  "parameter-became-list": "breaking",
  "reserved-characters-allowed": "warning",
  "reserved-characters-refused": "harmless",
  "empty-value-allowed": "breaking",
  "empty-value-refused": "harmless",
  "required-body-added": "harmless",
  "body-became-required": "harmless",
  "body-became-optional": "breaking",
  // nobody asks for a media type of what is sent by itself
  "response-media-type-added": "breaking",
  "response-media-type-removed": "harmless",
  "required-header-removed": "harmless",
  "header-became-required": "breaking",
  "header-became-optional": "harmless",
  "error-removed": "warning",
};
