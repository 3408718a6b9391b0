import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createGuideFolder, readFiles, readPage, root, typescript } from "./guide.ts";

const names = readdirSync(join(root, "docs/how-to"));
const files = names.flatMap((name) =>
  [...readFiles(`docs/how-to/${name}`)].map(
    ([file, code]) =>
      [`${name}/${file}`, code.replace(' from "pg"', ' from "../pglite.ts"')] as const,
  ),
);

/** What a program has before its checks: the API of a page, as a function that sends it requests. */
const prelude = `
import assert from "node:assert/strict";
import { createServer } from "sallyport";
export const serve = async (page, name, own) => {
  const { routing, config } = own ? { routing: own } : await import(\`./\${page}.md/\${name ?? page}.ts\`);
  const silent = { ...config, http: { listen: 0 }, cors: false, logger: { level: "silent" }, resources: [] };
  const { url, close } = await createServer(silent, routing);
  const send = async (path, { json, ...init } = {}) => {
    const headers = { ...(json && { "content-type": "application/json" }), ...init.headers };
    const response = await fetch(url + path, { ...init, headers, ...(json && { method: init.method ?? "POST", body: JSON.stringify(json) }) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, data: text.startsWith("{") ? JSON.parse(text).data ?? JSON.parse(text) : undefined };
  };
  return { url, send, close };
};
export { assert };
`;
/** PostgreSQL in the process, in place of the pool of pg. */
const pglite = `
import { PGlite } from "@electric-sql/pglite";
export const db = new PGlite();
const query = (text, values) => db.query(text, values);
export class Pool {
  query = query;
  connect = async () => ({ query, release: () => undefined });
  end = async () => undefined;
}
`;
const folder = createGuideFolder([...files, ["serve.ts", prelude], ["pglite.ts", pglite]]);
afterAll(() => folder.remove());

/** Programs that check what the pages promise, by page. */
const programs: Readonly<Record<string, string>> = {
  cookies: `
const { send } = await serve("cookies");
const { headers } = await send("/theme", { method: "PUT", json: { theme: "dark" } });
const [cookie] = headers.getSetCookie();
assert.match(cookie, /^theme=dark; Max-Age=2592000; .*HttpOnly; SameSite=Lax$/);
assert.deepEqual((await send("/theme", { headers: { cookie: cookie.split(";")[0] } })).data, { theme: "dark" });
assert.deepEqual((await send("/theme")).data, { theme: "light" });
assert.match((await send("/theme", { method: "DELETE" })).headers.getSetCookie()[0], /^theme=;.*Expires=Thu, 01 Jan 1970/);`,
  created: `
const { send } = await serve("created");
const { status, headers } = await send("/books", { json: { title: "Emma" } });
assert.equal(status, 201);
assert.deepEqual((await send(headers.get("location"))).data, { title: "Emma" });
assert.equal((await send("/books/9")).status, 404);`,
  versions: `
const { send } = await serve("versions");
const old = await send("/v1/users/7");
assert.deepEqual(old.data, { name: "Ada Lovelace" });
assert.match(old.headers.get("deprecation"), /^@/);
assert.match(old.headers.get("link"), /v2\\/users\\/7/);
assert.deepEqual((await send("/v2/users/7")).data, { first: "Ada", last: "Lovelace" });
assert.deepEqual((await send("/book")).data, { title: "Emma" });
assert.deepEqual((await send("/book", { headers: { "api-version": "2026-07-01" } })).data, { title: "Emma", pages: 474 });`,
  jwt: `
import { createServer as createHttp } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
const { publicKey, privateKey } = await generateKeyPair("RS256");
const provider = createHttp((_, response) => void exportJWK(publicKey).then((key) => response.end(JSON.stringify({ keys: [{ ...key, alg: "RS256" }] }))));
await new Promise((done) => provider.listen(0, done));
const issuer = process.env.ISSUER = \`http://localhost:\${provider.address().port}/\`;
const { send } = await serve("jwt");
const sign = (audience) => new SignJWT({}).setProtectedHeader({ alg: "RS256" }).setSubject("user-7").setIssuer(issuer).setAudience(audience).setExpirationTime("1m").sign(privateKey);
const readMe = async (token) => send("/me", { headers: { authorization: \`Bearer \${token}\` } });
assert.deepEqual((await readMe(await sign("https://api.example.com"))).data, { id: "user-7" });
assert.equal((await readMe(await sign("https://other.example.com"))).status, 401);
assert.equal((await readMe("nonsense")).status, 401);
assert.equal((await send("/me")).status, 401);
provider.close();`,
  roles: `
const { send } = await serve("roles");
const as = (name, json) => send("/books", { json, headers: { authorization: \`Bearer token-of-\${name}\` } });
assert.equal((await as("bob")).status, 200);
assert.equal((await as("bob", { title: "Emma" })).status, 403);
assert.deepEqual((await as("ada", { title: "Emma" })).data, { title: "Emma", addedBy: "Ada" });
assert.equal((await send("/books")).status, 401);`,
  "api-keys": `
import { createKey } from "./api-keys.md/api-keys.ts";
const { send } = await serve("api-keys");
const reader = { "x-api-key": createKey("Ada", ["books:read"]) };
const writer = { "x-api-key": createKey("Bob", ["books:read", "books:write"]) };
assert.equal((await send("/books", { headers: reader })).status, 200);
assert.equal((await send("/books", { headers: reader, json: { title: "Emma" } })).status, 403);
assert.deepEqual((await send("/books", { headers: writer, json: { title: "Emma" } })).data, { title: "Emma", addedBy: "Bob" });
assert.equal((await send("/books", { headers: { "x-api-key": "shop_none" } })).status, 401);`,
  money: `
const { send } = await serve("money");
const add = async (...prices) => send("/total", { json: { prices, currency: "EUR" } });
assert.deepEqual((await add("0.10", "0.20")).data, { total: "0.30", currency: "EUR" });
assert.deepEqual((await add("900719925474099.31", "-0.01")).data.total, "900719925474099.30");
assert.equal((await add("0.01", "-0.06")).data.total, "-0.05");
assert.equal((await add("1.5")).status, 400);`,
  csv: `
const { send } = await serve("csv");
const upload = (text) => { const body = new FormData(); body.append("file", new Blob([text], { type: "text/csv" }), "b.csv"); return send("/books", { method: "POST", body }); };
assert.deepEqual((await upload('\\ufefftitle,price\\n"Emma, again",900\\n=1+1,5\\n')).data, { added: 2 });
const wrong = await upload("title,price\\nEmma,none\\n");
assert.equal(wrong.status, 422);
assert.match(wrong.text, /"lines":\\[2\\]/);
assert.equal((await send("/books")).text, \`title,price\\n"Emma, again",900\\n'=1+1,5\\n\`);`,
  "outgoing-webhooks": `
import { sendWebhook } from "./outgoing-webhooks.md/webhooks.ts";
const { url, send } = await serve("outgoing-webhooks", "webhooks");
await sendWebhook(url + "/webhook", { type: "order.paid" });
assert.equal((await send("/webhook", { json: { type: "order.paid" } })).status, 401);`,
  proxy: `
import { createServer as createHttp } from "node:http";
const seen = [];
const reports = createHttp((request, response) => { seen.push([request.method, request.url, request.headers["x-user"], request.headers.authorization]); request.pipe(response); });
await new Promise((done) => reports.listen(0, done));
process.env.REPORTS_URL = \`http://localhost:\${reports.address().port}\`;
const { send } = await serve("proxy");
const headers = { authorization: "Bearer secret", "x-user": "root" };
assert.equal((await send("/reports/2026", { headers, json: { a: 1 } })).text, '{"a":1}');
assert.deepEqual(seen, [["POST", "/reports/2026", "ada", undefined]]);
assert.equal((await send("/reports/2026")).status, 401);
reports.close();`,
  "lists-in-sql": `
import { db } from "./pglite.ts";
process.env.CURSOR_SECRET = "a secret of at least 32 characters";
await db.exec("CREATE TABLE books (id serial PRIMARY KEY, title text, price int); INSERT INTO books (title, price) VALUES ('Emma', 9), ('Dune', 12), ('Ulysses', 9), ('Beloved', 100)");
const { listBooks } = await import("./lists-in-sql.md/lists-in-sql.ts");
const { send } = await serve("", "", { books: listBooks });
const walk = async (query) => {
  const titles = [];
  for (let cursor = ""; cursor !== undefined;) {
    const { data } = await send("/books?limit=1&" + query + cursor);
    titles.push(...data.items.map(({ title }) => title));
    cursor = data.nextCursor === null ? undefined : "&cursor=" + data.nextCursor;
  }
  return titles;
};
assert.deepEqual(await walk(""), ["Beloved", "Dune", "Emma", "Ulysses"]);
assert.deepEqual(await walk("sort=price"), ["Emma", "Ulysses", "Dune", "Beloved"]);
assert.deepEqual(await walk("sort=price&maxPrice=12&search=u"), ["Ulysses", "Dune"]);
const { data } = await send("/books?limit=1");
assert.equal((await send("/books?sort=price&cursor=" + data.nextCursor)).status, 400);`,
  tenants: `
import { db } from "./pglite.ts";
await db.exec("CREATE TABLE books (title text, tenant text); INSERT INTO books VALUES ('Emma', 'acme'), ('Dune', 'other'); ALTER TABLE books ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON books USING (tenant = current_setting('app.tenant')); CREATE ROLE app; GRANT SELECT ON books TO app; SET ROLE app");
const { listBooks } = await import("./tenants.md/tenants.ts");
const { send } = await serve("", "", { books: listBooks });
assert.deepEqual((await send("/books", { headers: { authorization: "Bearer secret" } })).data, { titles: ["Emma"] });
assert.equal((await send("/books")).status, 401);`,
  jobs: `
import { db } from "./pglite.ts";
import { config } from "./jobs.md/jobs.ts";
await db.exec("CREATE TABLE jobs (id bigserial PRIMARY KEY, payload jsonb NOT NULL); INSERT INTO jobs (payload) VALUES ('1'), ('2')");
const lines = [];
const logger = { info: (_, { payload }) => lines.push(payload), error: (_, { error }) => { throw error; } };
const worker = config.resources.find(({ name }) => name === "worker");
await worker.start({ logger });
while (lines.length < 2) await new Promise((done) => setTimeout(done, 5));
await worker.stop({ logger });
assert.deepEqual(lines, [1, 2]);
assert.equal((await db.query("SELECT * FROM jobs")).rows.length, 0);`,
  "user-in-logs": `
import { config } from "./user-in-logs.md/user-in-logs.ts";
const lines = [];
const { accessLogger } = config;
config.accessLogger = (request, _logger, facts) => accessLogger(request, { info: (...line) => lines.push(line) }, facts);
const { send } = await serve("user-in-logs");
await send("/me", { headers: { authorization: "Bearer secret" } });
while (lines.length === 0) await new Promise((done) => setTimeout(done, 5));
assert.equal(lines[0][0], "GET /me");
assert.equal(lines[0][1].user, "user-7");`,
};

test.each(Object.entries(programs))("docs/how-to/%s.md does what it says", (name, program) => {
  folder.write(
    `check-${name}.ts`,
    `import { assert, serve } from "./serve.ts";${program.replaceAll("\\\\", "\\")}\nprocess.exit(0);`,
  );
  expect(folder.run(...typescript, `check-${name}.ts`)).toEqual({ status: 0, output: "" });
});

test("no page is long", () => {
  const long = names.filter((name) => readPage(`docs/how-to/${name}`).split("\n").length > 90);
  expect(long).toEqual([]);
});
