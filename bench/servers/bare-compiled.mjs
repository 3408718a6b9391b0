// A hand-written node:http server that validates input and output with compiled Zod schemas: the limit for servers that validate.
import { z } from "zod";
import { serveBare } from "../serve-bare.mjs";

serveBare((schema) => z.compile(schema));
