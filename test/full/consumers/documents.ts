import { generateOpenApi, type OpenApiDocument, type OpenApiVersion } from "sallyport/openapi";
import { config, routing } from "../../fixtures/users-api/src/api.ts";
import { createDesk } from "../../http/support-desk.ts";
import { placesConfig, placesRouting } from "../../openapi/torture/places.ts";
import { tortureConfig, tortureRouting } from "../../openapi/torture/routing.ts";

export const versions: readonly OpenApiVersion[] = ["3.0", "3.1", "3.2"];

/** Generates a document of each API in each version of OpenAPI, by names such as `example-3.1`. */
export const generateDocuments = (): ReadonlyMap<string, OpenApiDocument> =>
  new Map(
    versions.flatMap((openapi) => [
      [`example-${openapi}`, generateOpenApi({ routing, config, ...readDocs(), openapi })] as const,
      [
        `desk-${openapi}`,
        generateOpenApi({
          ...createDesk(),
          info: { title: "Support desk", version: "2.0.0" },
          openapi,
        }),
      ] as const,
      [
        `places-${openapi}`,
        generateOpenApi({
          ...{ routing: placesRouting, config: placesConfig, openapi },
          info: { title: "Places", version: "1.0.0" },
        }),
      ] as const,
      [
        `torture-${openapi}`,
        generateOpenApi({
          routing: tortureRouting,
          config: tortureConfig,
          info: { title: "Torture", version: "1.0.0" },
          openapi,
        }),
      ] as const,
    ]),
  );

const readDocs = () => {
  const { docs } = config;
  if (typeof docs !== "object" || !("info" in docs) || !docs.info)
    throw new Error("The example describes its API");
  return { info: docs.info, tags: docs.tags };
};
