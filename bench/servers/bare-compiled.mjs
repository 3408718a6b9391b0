// node:http by hand, with Zod's compiled schemas on both sides: the limit of what validates.
import { z } from "zod";
import { serveBare } from "../serve-bare.mjs";

serveBare((schema) => z.compile(schema));
