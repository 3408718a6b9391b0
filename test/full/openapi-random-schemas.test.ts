import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { generateOpenApi } from "sallyport/openapi";
import { expect, test } from "vitest";
import { z } from "zod";
import { verify } from "../../packages/contract/src/index.ts";
import { Random } from "../openapi/conformance/random.ts";
import { findOfficialErrors } from "../openapi/official-schemas.ts";
import { RandomSchemas } from "../openapi/torture/random-schemas.ts";

const seed = Number(process.env["SALLYPORT_SEED"] ?? Date.now() % 1_000_000);

test.each([seed, seed + 1, seed + 2])(
  "an API with 60 random schemas matches its document (seed %i)",
  async (own) => {
    const schemas = new RandomSchemas(new Random(own));
    const routing = Object.fromEntries(
      Array.from({ length: 60 }, (_none, at) => {
        const value = schemas.make();
        const endpoint = factory.build({
          input: z.object({ value }),
          output: z.object({ value: ez.encode(value) }),
          handler: ({ input }) => input as never,
        });
        return [`post /schemas/${at}`, endpoint];
      }),
    );
    const options = { routing, info: { title: "Random", version: "1" } };
    for (const openapi of ["3.0", "3.1", "3.2"] as const)
      expect(findOfficialErrors(generateOpenApi({ ...options, openapi }), openapi)).toEqual([]);
    const { ok, text, calls } = await verify({ ...options, config: { cors: false }, seed: own });
    expect(ok ? "ok" : text, `SALLYPORT_SEED=${own}`).toBe("ok");
    expect(calls).toBeGreaterThan(1500);
  },
);
