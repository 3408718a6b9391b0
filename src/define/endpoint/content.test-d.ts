import { expectTypeOf, test } from "vitest";
import { defaultEndpointsFactory, ez } from "../../index.ts";
import type { EmptyObject } from "../../types.ts";

test("outputs sent without an envelope are typed by their content", () => {
  defaultEndpointsFactory.build({
    output: ez.stream("text/csv"),
    handler: async function* ({ ctx }) {
      expectTypeOf(ctx).toEqualTypeOf<EmptyObject>();
      yield "a";
    },
  });
  defaultEndpointsFactory.build({ output: ez.file(), handler: () => "/a" });
  defaultEndpointsFactory.build({
    output: ez.file("application/pdf"),
    handler: async () => ({ path: "a", root: "/", fileName: "b", maxAge: 1 }),
  });
  defaultEndpointsFactory.build({ output: ez.buffer("image/png"), handler: () => Buffer.of(1) });
  // @ts-expect-error -- a string is not a stream
  defaultEndpointsFactory.build({ output: ez.stream(), handler: () => "a" });
});
