import { plainWays } from "../src/wire/exchange/ways.ts";

/** What takes the place of the room `shortcuts/` when the tests run without it. */
export const shortcuts = plainWays;
