import type { Fixture, VerifyOptions } from "../../../packages/contract/src/index.ts";
import { apiKey } from "../../fixtures/users-api/src/factories.ts";
import { routing } from "../../fixtures/users-api/src/routing.ts";
import { tortureConfig, tortureRouting } from "../torture/routing.ts";

const secret = (): string => "let-me-in";

/** The torture API, with reasons where a document cannot express what an endpoint checks. */
export const torture: VerifyOptions = {
  routing: tortureRouting,
  config: tortureConfig,
  login: {
    basic: secret,
    bearer: secret,
    bearer2: secret,
    xKeyHeader: secret,
    sessionCookie: secret,
    keyQuery: secret,
    openid: secret,
    oauth2: secret,
    keyInput: secret,
    keyInput2: secret,
  },
  fixtures: { "post /secrets/body": () => ({ key: secret() }) },
  skip: {
    "post /kinds/catch negative_data_rejection": "A catch accepts anything.",
    "post /kinds/piped positive_data_acceptance": "It checks again after a transformation.",
    "get /flights/:from-:to positive_data_acceptance": "A value may have the hyphen between them.",
    "get /search/:kind positive_data_acceptance": "Query parameters depend on each other.",
    "get /search/:kind negative_data_rejection": "Query parameters depend on each other.",
    "delete /users/:id use_after_free": "Nothing is stored.",
    "get /pages pages_end": "It has the same item on each page.",
    "post /secrets/body ignored_auth": "The key is a field of the body.",
    "get /broken": "Its output is invalid, which is a 500.",
  },
};

let people = 0;
const person = () => ({ name: "Ada", email: `ada-${++people}@example.com` });

const create: Fixture = async ({ fetch }) => {
  const response = await fetch("/v1/users", {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": apiKey },
    body: JSON.stringify(person()),
  });
  const { data } = (await response.json()) as { readonly data: { readonly id: string } };
  return { id: data.id };
};

const picture = () => new File(["a picture"], "ada.png", { type: "image/png" });

/** The users API, with users to read, change and delete. */
export const usersApi: VerifyOptions = {
  routing,
  config: { cors: false, upload: true },
  login: { xApiKeyHeader: () => apiKey },
  fixtures: {
    "post /v1/users": person,
    "/v1/users/:id": create,
    "get /v1/users/:id/picture": async (client) => {
      const { id } = await create(client);
      const body = new FormData();
      body.set("picture", picture());
      const path = `/v1/users/${String(id)}/picture`;
      await client.fetch(path, { method: "POST", headers: { "x-api-key": apiKey }, body });
      return { id };
    },
    "post /v1/users/:id/picture": async (client) => ({
      ...(await create(client)),
      picture: picture(),
    }),
  },
  skip: { "get /v1/users/watch": "Its first event comes when a user changes." },
};
