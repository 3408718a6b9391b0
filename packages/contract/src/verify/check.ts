/** The checks, as Schemathesis names them where it has them. */
export const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "positive_data_acceptance",
  "negative_data_rejection",
  "missing_required_header",
  "unsupported_media_type",
  "unsupported_method",
  "ignored_auth",
  "ignored_owner",
  "ignored_scopes",
  "idempotent_replay",
  "conditional_write",
  "conditional_read",
  "pages_end",
  "use_after_free",
  "positive_answer",
] as const;

export type CheckName = (typeof checks)[number];

/** The checks that are made of each reply. */
export const responseChecks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
] as const;

/** What a check has found wrong. */
export interface Finding {
  readonly check: CheckName;
  readonly message: string;
  /** A line of a test that fails as long as the finding is there. */
  readonly expectation: string;
}

export const toFinding = (check: CheckName, message: string, expectation = ""): Finding => ({
  check,
  message,
  expectation: expectation || `assert.fail(${JSON.stringify(message)});`,
});
