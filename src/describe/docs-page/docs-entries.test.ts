import { expect, test } from "vitest";
import type { DocsOptions } from "./docs-options.ts";
import { toPolicy } from "./docs-entries.ts";
import type { UserInterface } from "./user-interfaces.ts";

const variables = { region: { default: "eu", enum: ["eu", "us"] }, port: { default: "8443" } };

test.each<[string, DocsOptions["servers"], string]>([
  ["a path", "/v1", ""],
  ["a host", "https://a.example/v1", " https://a.example"],
  ["a host with a port", { url: "http://a.example:8080" }, " http://a.example:8080"],
  ["an IPv6 address", "http://[::1]:3000/", " http://[::1]:3000"],
  ["a user", "https://me:secret@a.example/v1", " https://a.example"],
  ["one host twice", ["https://a.example/1", "https://a.example/2"], " https://a.example"],
  [
    "the values of a variable",
    { url: "https://{region}.example.com/v1", variables },
    " https://eu.example.com https://us.example.com",
  ],
  [
    "the values of two variables",
    { url: "https://{region}.example.com:{port}", variables },
    " https://eu.example.com:8443 https://us.example.com:8443",
  ],
  ["a variable without a description", "https://{region}.example.com", ""],
  [
    "a variable in the path",
    { url: "https://a.example/{region}", variables },
    " https://a.example",
  ],
  ["a sign with a meaning in the policy", "https://a.example; script-src *", ""],
  ["another scheme", "ftp://a.example", ""],
])("the page may request the hosts of the servers: %s", (_name, servers, hosts) => {
  const policy = toPolicy({ styles: "'self'" } as UserInterface, servers);
  expect(/connect-src [^;]*/.exec(policy)?.[0]).toBe(`connect-src 'self'${hosts}`);
});
