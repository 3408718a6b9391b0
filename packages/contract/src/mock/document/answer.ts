import {
  isObject,
  toStableText,
  type ApiDescription,
  type Json,
  type Operation,
} from "@sallyport/document";
import { readPreference } from "../preference.ts";
import { UngeneratableError } from "../ungeneratable.ts";
import { isTimeout, withinTime } from "../within-time.ts";
import { hasCredentials, toChallenge } from "./credentials.ts";
import { readPath, toFinder, type Place } from "./find-operation.ts";
import type { DocumentHandlers } from "./handler.ts";
import { toLocation } from "./location.ts";
import { readBody } from "./read-body.ts";
import { readParameters } from "./read-parameters.ts";
import { describeProblems, findResponse, refuse, Refused } from "./refusal.ts";
import type { Input, MockRequest, Reply } from "./request.ts";
import { writeFields } from "./write-fields.ts";
import { writeReply } from "./write-reply.ts";

export type { DocumentHandler } from "./handler.ts";

/** What a mock of a document follows from. */
export interface DocumentMock {
  readonly api: ApiDescription;
  readonly seed: string;
  readonly handlers: DocumentHandlers;
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
  const fields = toFields(input);
  const scene = { status, preference, fields, seed: toSeedText(mock, operation, status, input) };
  const written = await writeReply(mock.handlers, operation, response, scene, request);
  const sent = request.url.split("?")[0] ?? "";
  const own =
    response &&
    writeFields(response, scene.seed, {
      path: sent,
      location: toLocation(mock.api, operation, sent, written.value),
      origin: `http://${request.headers["host"] ?? "localhost"}`,
    });
  return { status, headers: { ...own, ...written.headers, ...applied }, body: written.body };
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
    if (!isTimeout(error)) throw error;
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
