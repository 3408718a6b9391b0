// express-openapi-validator between a client and an API. Requests that the validator rejects are forwarded, too: if the API
// accepts one, the response is a 418 with the validator's message.
import { once } from "node:events";
import { request as sendOn } from "node:http";
import express from "express";
import { middleware } from "express-openapi-validator";

const [apiSpec, port] = process.argv.slice(2);
const app = express().disable("x-powered-by").disable("etag");

const toObject = (pairs) => Object.fromEntries(new URLSearchParams(pairs));

/** Parses a body according to its content type; a malformed body remains a string. */
const parse = (bytes, type = "") => {
  if (!Buffer.isBuffer(bytes)) return undefined;
  const text = String(bytes);
  try {
    return type.includes("json") ? JSON.parse(text) : bytes;
  } catch {
    return text;
  }
};

app.use(express.raw({ type: () => true, limit: "1mb" }), (request, _response, next) => {
  request.rawBytes = request.body;
  request.body = parse(request.rawBytes, request.headers["content-type"]);
  request.cookies = toObject((request.headers.cookie ?? "").replaceAll("; ", "&"));
  next();
});
app.use(middleware({ apiSpec, validateRequests: true, validateResponses: true }));

/** Returns the API's response to an unchanged request. */
const ask = async ({ method, originalUrl, headers, rawBytes }) => {
  const outgoing = sendOn({ port, method, path: originalUrl, headers });
  outgoing.end(Buffer.isBuffer(rawBytes) ? rawBytes : undefined);
  const [answer] = await once(outgoing, "response");
  const bytes = Buffer.concat(await answer.toArray());
  return { status: answer.statusCode, headers: answer.headers, bytes };
};

const reply = (response, { status, headers, bytes }) => {
  response.writeHead(status, headers).end(bytes);
};

app.use(async (request, response) => {
  const answer = await ask(request);
  request.answer = answer;
  const { status, headers, bytes } = answer;
  if (!headers["content-type"]?.includes("json")) return reply(response, answer);
  response.setHeaders(new Headers(headers)).removeHeader("content-length");
  // the validator replaces `response.json` to validate the body
  response.status(status).json(JSON.parse(String(bytes)));
});

app.use(async (error, request, response, _next) => {
  const answer = request.answer ?? (await ask(request));
  const isAccepted = answer.status < 300 || request.answer !== undefined;
  if (isAccepted) response.status(418).type("text").send(`${error.status} ${error.message}`);
  else reply(response, answer);
});

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
process.stdout.write(`${server.address().port}\n`);
