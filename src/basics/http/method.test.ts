import { describe, expect, test } from "vitest";
import { idempotentMethods, isSafe, takesBody } from "../../describe/client/method-patterns.ts";
import {
  endpointMethods,
  methodFacts,
  methodsByName,
  retrievalNames,
  safeNames,
  typedNames,
} from "./method.ts";

describe("the table of methods", () => {
  test.each(endpointMethods)("says of %s what the client assumes", (method) => {
    const name = method.toUpperCase();
    const { sources, ...facts } = methodFacts[method];
    expect({
      takesBody: takesBody(name),
      isSafe: isSafe(name),
      isIdempotent: idempotentMethods.includes(name),
    }).toEqual(facts);
    expect(facts.takesBody).toBe((sources as readonly string[]).includes("body"));
    expect(facts.isIdempotent || !facts.isSafe).toBe(true);
  });

  test("answers for the names of requests' methods", () => {
    const names = endpointMethods.map((method) => method.toUpperCase());
    expect([...methodsByName.keys()].toSorted()).toEqual([...names, "HEAD"].toSorted());
    expect(methodsByName.get("HEAD")).toBe("get");
    expect([...safeNames].toSorted()).toEqual(["GET", "HEAD", "QUERY"]);
    expect([...retrievalNames].toSorted()).toEqual(["GET", "HEAD"]);
    expect([...typedNames]).toEqual(["QUERY"]);
  });

  test("the names of methods are no parts of each other, as the client's retries need it", () => {
    for (const one of endpointMethods)
      expect(endpointMethods.filter((other) => other.includes(one))).toEqual([one]);
  });
});
