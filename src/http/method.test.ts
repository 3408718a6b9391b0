import { describe, expect, test } from "vitest";
import {
  idempotentMethods,
  isSafe as isSafeForClient,
  takesBody,
} from "../client/method-patterns.ts";
import {
  endpointMethods,
  findMethod,
  isRetrieval,
  isSafe,
  methodFacts,
  needsMediaType,
} from "./method.ts";

describe("the table of methods", () => {
  test.each(endpointMethods)("says of %s what the client assumes", (method) => {
    const name = method.toUpperCase();
    const facts = methodFacts[method];
    expect({
      takesBody: takesBody(name),
      isSafe: isSafeForClient(name),
      isIdempotent: idempotentMethods.includes(name),
    }).toEqual({
      takesBody: facts.takesBody,
      isSafe: facts.isSafe,
      isIdempotent: facts.isIdempotent,
    });
    expect(facts.takesBody).toBe((facts.sources as readonly string[]).includes("body"));
    expect(facts.isIdempotent || !facts.isSafe).toBe(true);
  });

  test.each(endpointMethods)("answers for %s as the name of a request's method", (method) => {
    const name = method.toUpperCase();
    const facts = methodFacts[method];
    expect(findMethod(name)).toBe(method);
    expect(isSafe(name)).toBe(facts.isSafe);
    expect(isRetrieval(name)).toBe(facts.isSafe && !facts.takesBody);
    expect(needsMediaType(name)).toBe(facts.isSafe && facts.takesBody);
  });

  test("treats HEAD like GET, and knows nothing of other names, nor of other spellings", () => {
    expect([findMethod("HEAD"), isSafe("HEAD"), isRetrieval("HEAD")]).toEqual(["get", true, true]);
    for (const name of ["OPTIONS", "PROPFIND", "get", "Query", "constructor", ""])
      expect([findMethod(name), isSafe(name), isRetrieval(name), needsMediaType(name)]).toEqual([
        undefined,
        false,
        false,
        false,
      ]);
  });

  test("the names of methods are no parts of each other, as the client's retries need it", () => {
    for (const one of endpointMethods)
      expect(endpointMethods.filter((other) => other.includes(one))).toEqual([one]);
  });
});
