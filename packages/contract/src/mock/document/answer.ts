import {
  isObject,
  readOwn,
  toStableText,
  explain,
  toView,
  type ApiDescription,
  type Json,
  type Operation,
  type Response,
} from "@sallyport/document";
import { toBytes } from "../generate-content.ts";
import { merge } from "../make-value.ts";
import { readPreference, type Preference } from "../preference.ts";
import { UngeneratableError } from "../ungeneratable.ts";
import { withinTime } from "../within-time.ts";
import { chooseValue, listValidExamples } from "./choose-value.ts";
import { hasCredentials, toChallenge } from "./credentials.ts";
import { readPath, toFinder, type Place } from "./find-operation.ts";
import { negotiate, type Chosen } from "./media-types.ts";
import { readBody } from "./read-body.ts";
import { readParameters } from "./read-parameters.ts";
import { describeProblems, findResponse, refuse, type Refusal } from "./refusal.ts";
import type { Input, MockRequest, Reply } from "./request.ts";
import { isStream, writeBody, writeStream } from "./write-body.ts";
import { writeFields } from "./write-fields.ts";

/** Returns a part of a reply, by the input of a request. */
export type DocumentHandler = (args: {
  /** The fields of the path, the query and the body. */
  readonly input: Readonly<Record<string, Json>>;
  readonly headers: MockRequest["headers"];
}) => unknown;

/** What a mock of a document follows from. */
export interface DocumentMock {
  readonly api: ApiDescription;
  readonly seed: string;
  /** By method and path, such as `get /users/{id}`. */
  readonly handlers: Readonly<Record<string, DocumentHandler>>;
}

class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

/** Returns what answers the requests to an API as its document says. */
export const toAnswer = (mock: DocumentMock): ((request: MockRequest) => Promise<Reply>) => {
  const find = toFinder(mock.api);
  return async (request) => {
    const place = find(request.url.split("?")[0] ?? "");
    const reply = await answerAt(mock, place, request);
    return allowOrigin(reply, request);
  };
};

const answerAt = async (
  mock: DocumentMock,
  place: Place | undefined,
  request: MockRequest,
): Promise<Reply> => {
  const { method } = request;
  if (!place) return refuse({ statuses: [404], detail: "The document has no such path." });
  const operation =
    place.operations.get(method) ?? (method === "HEAD" ? place.operations.get("GET") : undefined);
  const isPreflight = request.headers["access-control-request-method"] !== undefined;
  if (method === "OPTIONS" && (!operation || isPreflight))
    return { status: 204, headers: { allow: listMethods(place) } };
  if (!operation)
    return refuse({
      ...{ statuses: [405], headers: { allow: listMethods(place) } },
      detail: `The path has the methods ${listMethods(place)}.`,
    });
  try {
    return await call(mock, operation, place, request);
  } catch (error) {
    if (error instanceof Refused) return refuse(error.refusal, operation, request);
    if (error instanceof UngeneratableError)
      return refuse({
        statuses: [500],
        detail: `No value can be made for a reply of ${operation.name}: ${error.message}. Add an example to the document.`,
      });
    throw error;
  }
};

const listMethods = ({ operations }: Place): string => {
  const methods = new Set([...operations.keys(), "OPTIONS"]);
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted().join(", ");
};

const call = async (
  mock: DocumentMock,
  operation: Operation,
  { values }: Place,
  request: MockRequest,
): Promise<Reply> => {
  if (!hasCredentials(operation, request))
    throw new Refused({
      statuses: [401, 403],
      detail: "Send credentials; a mock accepts any.",
      headers: { "www-authenticate": toChallenge(operation.security) },
    });
  const path = readPath(operation, values);
  if (!path)
    throw new Refused({ statuses: [400], detail: "The path is not percent-encoded correctly." });
  const input = await readInput(operation, path, request);
  const preference = readPreference(request.headers["prefer"]);
  const status = preference.code ?? toUsualStatus(operation);
  const response = findResponse(operation, status);
  if (preference.code !== undefined && (!response || !(status >= 200 && status <= 599)))
    throw new Refused({
      statuses: [400],
      detail: `Prefer: the operation declares no reply with this code; use one of ${Object.keys(operation.responses).join(", ")}.`,
    });
  const applied = {
    ...(preference.code !== undefined && { "preference-applied": `code=${status}` }),
  };
  if (!response) return { status, headers: applied };
  const fields = toFields(input);
  const scene = { status, preference, fields, seed: toSeedText(mock, operation, status, input) };
  const written = await writeReply(mock, operation, response, scene, request);
  const location = request.url.split("?")[0] ?? "";
  const headers = writeFields(response, location, scene.seed);
  return { status, headers: { ...headers, ...written.headers, ...applied }, body: written.body };
};

/** @throws {@link Refused} when the input is not as the document declares it. */
const readInput = async (
  operation: Operation,
  path: Readonly<Record<string, string>>,
  request: MockRequest,
): Promise<Input> => {
  const body = operation.body && (await readBody(operation.body, request));
  if (body && "isUnsupported" in body)
    throw new Refused({
      statuses: [415],
      detail: `The operation takes a body of ${Object.keys(operation.body?.content ?? {}).join(", ")}.`,
    });
  const [parameters, wrong, checked] = inTime(() => [
    ...readParameters(operation, path, request),
    body?.check() ?? { value: undefined },
  ]);
  if (wrong.length === 0 && "value" in checked) return { ...parameters, body: checked.value };
  const problems = [...wrong, ...("problem" in checked ? [checked.problem] : [])];
  throw new Refused({ statuses: [400, 422], detail: describeProblems(problems), problems });
};

/** @throws {@link Refused} when a pattern is kept busy by what a client has sent. */
const inTime = <Result>(work: () => Result): Result => {
  try {
    return withinTime(work, 1000);
  } catch (error) {
    if (
      !(error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
    )
      throw error;
    throw new Refused({
      statuses: [400, 422],
      detail: "A pattern of the document takes too long to check the input.",
    });
  }
};

/** The status of a reply if the client wishes none: that of a success. */
const toUsualStatus = ({ responses }: Operation): number => {
  const declared = Object.keys(responses);
  const exact = declared.map(Number).filter((one) => Number.isInteger(one) && one >= 200);
  const success = exact.find((one) => one < 300);
  if (success !== undefined) return success;
  if (declared.includes("2XX") || declared.includes("default")) return 200;
  const [range = "200"] = declared;
  return exact[0] ?? Number(range.replaceAll("X", "0"));
};

const toFields = ({ path, query, body }: Input): Readonly<Record<string, Json>> => {
  const all = { ...query, ...(isObject(body) ? body : {}), ...path };
  // what leads to a user by `/users/{userId}` has this id
  const [, own] = Object.entries(path).findLast(([name]) => /id$/i.test(name)) ?? [];
  return own === undefined ? all : { id: own, ...all };
};

const toSeedText = (
  { seed }: DocumentMock,
  { name }: Operation,
  status: number,
  input: Input,
): string => [seed, name, status, toStableText({ ...input, body: input.body ?? null })].join("\n");

interface Scene {
  readonly status: number;
  readonly preference: Preference;
  readonly fields: Readonly<Record<string, Json>>;
  readonly seed: string;
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Writes the body of a reply in the media type that the client prefers. */
const writeReply = async (
  mock: DocumentMock,
  operation: Operation,
  response: Response,
  { status, preference, fields, seed }: Scene,
  { headers }: MockRequest,
): Promise<Omit<Reply, "status">> => {
  const types = Object.keys(response.content);
  if (types.length === 0 || withoutBody.has(status)) return { headers: {} };
  const chosen =
    negotiate(types, headers["accept"]) ??
    (status >= 400 ? negotiate(types, undefined) : undefined);
  if (!chosen)
    throw new Refused({ statuses: [406], detail: `The reply is one of ${types.join(", ")}.` });
  const media = readOwn(response.content, chosen.declared) ?? { encoding: {} };
  checkExample(media, preference);
  const type = { "content-type": toContentType(chosen) };
  if (isStream(chosen.type) && !media.examples)
    return { headers: type, body: writeStream(chosen.type, media, seed) };
  if (!media.schema && !media.examples) return { headers: type, body: toBytes(chosen.type) };
  const key = `${operation.method.toLowerCase()} ${operation.path}`;
  const handler = status < 400 ? readOwn(mock.handlers, key) : undefined;
  const returned = await handler?.({ input: fields, headers });
  const schema = toView(media.schema ?? {}, "response");
  const value = merge(chooseValue(media, preference, seed, fields), toJson(returned)) as Json;
  const problem = returned === undefined ? undefined : explain(schema, value);
  if (problem)
    throw new Refused({
      statuses: [500],
      detail: `The handler of "${key}" does not fit the document: ${problem.path} ${problem.message}.`,
    });
  return { headers: type, body: writeBody(chosen.type, value, schema) };
};

const toJson = (value: unknown): Json | undefined =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as Json);

const toContentType = ({ type }: Chosen): string =>
  type.startsWith("text/") && !type.includes("charset") ? `${type}; charset=utf-8` : type;

const checkExample = (
  media: Parameters<typeof listValidExamples>[0],
  preference: Preference,
): void => {
  const { example } = preference;
  if (example === undefined) return;
  const valid = listValidExamples(media);
  if (valid.has(example)) return;
  const problem = explain(toView(media.schema ?? {}, "response"), readOwn(media.examples, example));
  throw new Refused({
    statuses: [400],
    detail:
      readOwn(media.examples, example) === undefined
        ? `Prefer: the reply has no such example; use one of ${[...valid.keys()].join(", ") || "those that you add to the document"}.`
        : `Prefer: the schema of the reply does not accept this example: ${problem?.path} ${problem?.message}.`,
  });
};

/** Lets pages of all origins call a mock, and read what it sends. */
const allowOrigin = (reply: Reply, { headers }: MockRequest): Reply => {
  const origin = headers["origin"];
  if (origin === undefined) return reply;
  const isPreflight = headers["access-control-request-method"] !== undefined;
  const asked = headers["access-control-request-headers"];
  return {
    ...reply,
    headers: {
      ...reply.headers,
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      vary: "Origin",
      ...(isPreflight
        ? {
            "access-control-allow-methods": reply.headers["allow"] ?? "",
            "access-control-allow-headers": [
              ...new Set([...(asked?.split(/\s*,\s*/) ?? []), "Prefer"]),
            ].join(", "),
          }
        : {
            "access-control-expose-headers": [
              ...Object.keys(reply.headers),
              "Preference-Applied",
            ].join(", "),
          }),
    },
  };
};
