import { defaultEndpointsFactory } from "sallyport";
import { z } from "zod";

const greetings = new Map([
  ["en", "Hello"],
  ["fr", "Bonjour"],
]);

export const greet = defaultEndpointsFactory.build({
  access: "public",
  shortDescription: "Greets in a language",
  errors: {
    unknownLanguage: {
      status: 404,
      description: "There is no greeting in this language",
      schema: z.object({ known: z.array(z.string()) }),
    },
  },
  input: z.object({ language: z.string(), name: z.string().min(1).max(100) }),
  output: z.object({ greeting: z.string() }),
  handler: async ({ input: { language, name }, errors }) => {
    const greeting = greetings.get(language);
    if (greeting === undefined)
      throw errors.unknownLanguage({ data: { known: [...greetings.keys()] } });
    return { greeting: `${greeting}, ${name}!` };
  },
});
