// Every entry in the table: a package, its setup, and requests that prove its effect.
import { entries as authentication } from "./entries/authentication.mjs";
import { entries as bodies } from "./entries/bodies.mjs";
import { entries as context } from "./entries/context.mjs";
import { entries as headers } from "./entries/headers.mjs";
import { entries as limits } from "./entries/limits.mjs";
import { entries as logs } from "./entries/logs.mjs";
import { entries as mounted } from "./entries/mounted.mjs";
import { entries as pages } from "./entries/pages.mjs";
import { entries as replies } from "./entries/replies.mjs";
import { entries as sessions } from "./entries/sessions.mjs";
import { entries as sockets } from "./entries/sockets.mjs";
import { entries as tracing } from "./entries/tracing.mjs";
import { entries as transports } from "./entries/transports.mjs";
import { entries as validation } from "./entries/validation.mjs";

export const entries = [
  ...[...headers, ...sessions, ...authentication, ...limits, ...bodies, ...validation],
  ...[...replies, ...context, ...logs, ...tracing, ...mounted, ...pages, ...sockets],
  ...transports,
];
