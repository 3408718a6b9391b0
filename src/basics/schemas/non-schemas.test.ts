import { expect, test } from "vitest";
import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { ez } from "./ez.ts";
import { assertInnerSchemas } from "./non-schemas.ts";

test.each([
  [
    z.object({ file: ez.upload } as never),
    "/a: `input.file` is a function, not a schema. Call it, as in ez.upload().",
  ],
  [
    z.object({ a: z.array(z.object({ b: z.string } as never).optional()) }),
    "/a: `input.a[].b` is a function, not a schema. Call it, as in z.string().",
  ],
  [
    z.object({}).extend({ a: 5 } as never),
    "/a: `input.a` is 5, not a schema. Use one, such as z.string().",
  ],
])("%#: a value that is not a schema causes an error each time", (schema, message) => {
  for (let times = 0; times < 2; times++) {
    const check = (): void => assertInnerSchemas("/a", "input", schema);
    expect(check).toThrow(DefinitionError);
    expect(check).toThrow(message);
  }
});

test("a recursive schema is accepted", () => {
  const tree = z.object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });
  expect(() => assertInnerSchemas("/a", "input", tree)).not.toThrow();
});
