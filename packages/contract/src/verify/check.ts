/** The checks, as Schemathesis names them where it has them. */
export const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "charset",
  "stack_trace",
  "public_cache",
  "positive_data_acceptance",
  "negative_data_rejection",
  "missing_required_header",
  "unsupported_media_type",
  "unsupported_method",
  "ignored_auth",
  "ignored_owner",
  "ignored_scopes",
  "idempotent_replay",
  "concurrent_replay",
  "ignored_key_owner",
  "conditional_write",
  "lost_update",
  "conditional_read",
  "head_like_get",
  "location",
  "pages_end",
  "pages_overlap",
  "pages_total",
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
  "charset",
  "stack_trace",
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
