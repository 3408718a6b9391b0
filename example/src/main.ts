import { createServer } from "sallyport";
import { config, routing } from "./api.ts";
import { apiKey } from "./factories.ts";

const { servers } = await createServer(config, routing);
const address = servers[0]?.address();
if (typeof address !== "object" || !address) throw new Error("The example must listen on a port");
const url = `http://localhost:${address.port}`;

// oxlint-disable-next-line no-console -- instructions for the person who started the example
console.log(`
The example serves users at ${url}/v1/users, and its documentation at ${url}/docs.
To see its page at ${url}, build the page first: cd example/web && npm install && npm run build

Try:

  curl -s ${url}/v1/users
  curl -s -X POST ${url}/v1/users -H 'content-type: application/json' -H 'x-api-key: ${apiKey}' -d '{"name":"Ada","email":"ada@example.com"}'
  curl -s ${url}/v1/users/not-an-id

Press Ctrl-C to stop.
`);
