// node:http by hand, with Zod's compiled schemas on both sides: the limit for servers that validate.
import { z } from "zod";
import { serveBare } from "../serve-bare.mjs";

serveBare((schema) => z.compile(schema));
