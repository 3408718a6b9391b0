import type { Context, Span } from "@opentelemetry/api";
import { ConfigError } from "../errors.ts";
import { loadLogsApi } from "../lazy/packages.ts";
import { ensureError } from "../reply/http-error.ts";

/** Records the error of a request whose span and context are given. */
export type RecordException = (thrown: unknown, span: Span, context: Context) => void;

/**
 * Creates the function that records errors: as events of spans or, as `OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN` asks, as log
 * records (`logs`) or both (`logs/dup`).
 *
 * @throws {@link ConfigError} when log records are asked for and their package is not installed.
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/
 */
export const createExceptionRecording = (): RecordException => {
  const listed = process.env["OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN"] ?? "";
  const wanted = new Set(listed.split(",").map((signal) => signal.trim()));
  const isDouble = wanted.has("logs/dup");
  const onSpan: RecordException = (thrown, span) => span.recordException(ensureError(thrown));
  if (!isDouble && !wanted.has("logs")) return onSpan;
  const { logs, SeverityNumber } = findLogsApi();
  return (thrown, span, context) => {
    if (isDouble) onSpan(thrown, span, context);
    const { name, message, stack } = ensureError(thrown);
    logs.getLogger("sallyport").emit({
      eventName: "http.server.request.exception",
      severityNumber: SeverityNumber.ERROR,
      severityText: "ERROR",
      attributes: {
        "exception.type": name,
        "exception.message": message,
        ...(stack && { "exception.stacktrace": stack }),
      },
      context,
    });
  };
};

const findLogsApi = (): ReturnType<typeof loadLogsApi> => {
  try {
    return loadLogsApi();
  } catch {
    throw new ConfigError(
      "SLP_CONFIG_PEER",
      "The environment variable OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN asks for log records, which need the package @opentelemetry/api-logs, which is not installed. Run: npm install @opentelemetry/api-logs.",
    );
  }
};
