// A hand-written node:http server that validates input and output with Zod's safeParse.
import { serveBare } from "../serve-bare.mjs";

serveBare((schema) => schema);
