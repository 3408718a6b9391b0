import type { Ways } from "../reply/reply-state.ts";
import { endRequests } from "./ends.ts";
import { writeHead } from "./heads.ts";

/**
 * The ways of sending that write undocumented state of Node. Nothing but speed is lost without them: `plainWays` takes
 * their place under `shortcuts: false`.
 */
export const shortcuts: Ways = { writeHead, endRequests };
