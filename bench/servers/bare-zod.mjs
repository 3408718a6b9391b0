// node:http by hand, with Zod's safeParse on both sides.
import { serveBare } from "../serve-bare.mjs";

serveBare((schema) => schema);
