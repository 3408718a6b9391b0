import type { Host } from "./ensure-hosts.ts";

/** Tests that fail on a host. Each other failure, and each of these that passes, fails the tests of the host. */
interface KnownDifference {
  readonly hosts: readonly Host[];
  /** The file, in `test/http/`. */
  readonly file: string;
  /** The full names of the tests; `all` if the file is not run there. */
  readonly tests: readonly string[] | "all";
  readonly why: string;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    hosts: ["Deno"],
    file: "client/idempotency.test.ts",
    tests: [
      "an inferred client with idempotency: true creates keys on pages without HTTPS, which have no crypto.randomUUID",
      "a generated client with idempotency: true creates keys on pages without HTTPS, which have no crypto.randomUUID",
    ],
    why: "its `fetch` needs members of `crypto` that the test removes",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "client/redirects.test.ts",
    tests: [
      "the inferred client gives up after as many redirects as `fetch`",
      "the generated client gives up after as many redirects as `fetch`",
    ],
    why: "its `fetch` words the error for too many redirects in another way",
  },
  {
    hosts: ["Bun"],
    file: "connection/adapters.test.ts",
    tests: [
      "an adapter without a real socket can send a body as a stream, even after requests whose bodies the server has parsed",
      "an adapter without a real socket gets a response, and no fault is logged, if the socket lacks the members of a real one, like serverless-http's",
      "an adapter without a real socket gets a response, and no fault is logged, if the socket reports bytes to write, like light-my-request's",
    ],
    why: "its `assignSocket` expects a real socket",
  },
  {
    hosts: ["Bun"],
    file: "connection/closing-after-reply.test.ts",
    tests: [
      "U5: an upload: after the 413, the server reads little more than 256 KiB from the client",
      "B7: a body that nobody has begun to read: after the 413, the server reads little more than 256 KiB from the client",
    ],
    why: "the test asks the connection for its bytes, which Bun does not count; the rest of a body is read for half a second, whatever its length",
  },
  {
    hosts: ["Deno"],
    file: "connection/connections.test.ts",
    tests: [
      "Slow clients W21: headers that arrive too slowly get a 408, and the warning is sampled",
    ],
    why: "closes the connection without an event, so no 408 can be sent",
  },
  {
    hosts: ["Bun"],
    file: "connection/nothing-left-behind.test.ts",
    tests: "all",
    why: "there is no `gc` as in V8",
  },
  {
    hosts: ["Deno"],
    file: "connection/pipelining.test.ts",
    tests: [
      "a connection runs one request at a time W26: while many requests wait, the server does not read from their connection",
    ],
    why: "reads up to 2 MB more after a connection is paused",
  },
  {
    hosts: ["Deno"],
    file: "connection/unread-connections.test.ts",
    tests: ["W20: a client that floods the queue behind a request that takes long is cut off"],
    why: "reads up to 2 MB more after a connection is paused",
  },
  {
    hosts: ["Bun"],
    file: "connection/unread-connections.test.ts",
    tests: ["W26: all of 200 requests behind one that takes long get their responses"],
    why: "the test asks the connection for its bytes, which Bun does not count",
  },
  {
    hosts: ["Bun"],
    file: "connection/wire.test.ts",
    tests: ["W8: a chunk with a bare semicolon gets a 400"],
    why: "its parser accepts a bare semicolon",
  },
  {
    hosts: ["Deno"],
    file: "connection/wire.test.ts",
    tests: ["W8: a chunk extension of 64 KiB gets a 413"],
    why: "its parser accepts long extensions",
  },
  {
    hosts: ["Bun"],
    file: "connection/wire.test.ts",
    tests: [
      "W12: OPTIONS * gets a 204 with Allow (CORS: false)",
      "W12: OPTIONS * gets a 204 with Allow (CORS: true)",
    ],
    why: "its parser refuses the target `*`",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "docs-page/docs.test.ts",
    tests: ["a server without documentation loads none of the code for it"],
    why: "the hooks of `node:module` with which the test lists modules are not those of Node.js",
  },
  {
    hosts: ["Bun"],
    file: "endpoint/query-method.test.ts",
    tests: ["an endpoint with the method QUERY is listed in Allow, also for the server as a whole"],
    why: "its parser refuses the target `*`",
  },
  {
    hosts: ["Bun"],
    file: "errors/fault-hints.test.ts",
    tests: ["the logged error of a response that Node rejects is Node's own if Express sends it"],
    why: "accepts a `Trailer` beside a length",
  },
  {
    hosts: ["Bun"],
    file: "errors/fault-logs.test.ts",
    tests: ["the credentials in a target are not logged"],
    why: "its parser refuses the target, so there is one line less",
  },
  {
    hosts: ["Bun"],
    file: "express/native-context.test.ts",
    tests: ["a native middleware runs without `this`, and its asynchronous resource is destroyed"],
    why: "there is no `gc` as in V8",
  },
  {
    hosts: ["Deno"],
    file: "health/health.test.ts",
    tests: ["Health a server that is closing is not ready"],
    why: "a request on a kept connection may meet a reset when the server closes",
  },
  {
    hosts: ["Deno"],
    file: "health/health.test.ts",
    tests: [
      "Health after the signal, a server with `drain` responds, but is not ready and ends connections",
    ],
    why: "a child process that got a signal is told to have ended by it, although it has ended with its own code",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "idempotency/outcomes.test.ts",
    tests: ["compression after the middleware is kept, compression before it compresses again"],
    why: "its `fetch` also accepts brotli, so the response is compressed with that",
  },
  {
    hosts: ["Bun"],
    file: "logger/loggers.test.ts",
    tests: [
      "L1: under pino a 500 is logged as one line with message, stack, cause, method, path and request id",
      "L1: under a child of pino a 500 is logged as one line with message, stack, cause, method, path and request id",
      "L1: under bunyan a 500 is logged as one line with message, stack, cause, method, path and request id",
      "L1: under winston a 500 is logged as one line with message, stack, cause, method, path and request id",
    ],
    why: "stacks have fewer characters",
  },
  {
    hosts: ["Bun"],
    file: "pipeline/budgets.test.ts",
    tests: [
      "each response is a single write to the socket for a success",
      "each response is a single write to the socket for a larger success",
      "each response is a single write to the socket for a success with non-ASCII characters",
      "each response is a single write to the socket for a body that was parsed",
      "each response is a single write to the socket for invalid input",
      "each response is a single write to the socket for an unknown path",
      "each response is a single write to the socket for a wrong method",
      "each response is a single write to the socket for HEAD",
    ],
    why: "writes responses natively, past the method that the test watches",
  },
  {
    hosts: ["Bun"],
    file: "pipeline/stages.test.ts",
    tests: [
      "stage 4: more invalid values than Zod can handle, with a raised `bodyLimit.values` in a field get a 400 with a fixed message",
      "stage 4: more invalid values than Zod can handle, with a raised `bodyLimit.values` in a union get a 400 with a fixed message",
      "stage 4: more invalid values than Zod can handle, with a raised `bodyLimit.values` reported by a refinement get a 400 with a fixed message",
      "stage 4: more invalid values than Zod can handle, with a raised `bodyLimit.values` reported by an asynchronous refinement inside a field get a 400 with a fixed message",
    ],
    why: "a call may have more arguments, so that fewer invalid values are too many",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "rate-limit/rate-limit.test.ts",
    tests: ["a weight is counted at once, in as many concurrent calls to the store"],
    why: "the three requests arrive in one turn, and their counts mix",
  },
  {
    hosts: ["Deno"],
    file: "reply/compressed-streams.test.ts",
    tests: [
      "a stream sends buffered data when it is flushed (gzip)",
      "a stream sends buffered data when it is flushed (deflate)",
    ],
    why: "`flush` of gzip and deflate sends nothing before the end",
  },
  {
    hosts: ["Bun"],
    file: "reply/compression.test.ts",
    tests: ["H13: a result handler that sends nothing has the connection closed"],
    why: "a connection that is closed without a reply gets an empty one",
  },
  {
    hosts: ["Deno"],
    file: "reply/content.test.ts",
    tests: ["a file leaves no descriptor open when its clients leave"],
    why: "a write to a client that has left fails with EPIPE before the connection is closed",
  },
  {
    hosts: ["Bun"],
    file: "reply/fast-way.test.ts",
    tests: [
      "the Content-Length of a response sent on the fast path reads as a string, as with Express",
    ],
    why: "a Content-Length that was given to `writeHead` reads as a number",
  },
  {
    hosts: ["Bun"],
    file: "reply/wrong-length.test.ts",
    tests: [
      "W29: the connection is closed after a length that is no number, whose length is not the Content-Length",
    ],
    why: "sends a body whose Content-Length is no number without comparing its length",
  },
  {
    hosts: ["Deno"],
    file: "request/body.test.ts",
    tests: [
      "B9: once a compression bomb is rejected while it is decompressed, nothing more of it is decompressed",
      "B9: once a compression bomb is rejected because of its length alone, nothing more of it is decompressed",
    ],
    why: "its `node:zlib` cannot be replaced as the test does",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "request/held-bodies.test.ts",
    tests: [
      "H17: a body of 5 bytes behind a native middleware that has begun to iterate is answered with 500, and the log names the cause",
      "H17: a body of 5 bytes behind a native middleware that has destroyed the request is answered with 500, and the log names the cause",
    ],
    why: "a short body that the middleware has touched is answered with 400",
  },
  {
    hosts: ["Bun"],
    file: "request/slow-disk.test.ts",
    tests: ["an upload that is faster than the disk waits in the network, not in memory"],
    why: "the test asks the connection for its bytes, which Bun does not count",
  },
  {
    hosts: ["Bun"],
    file: "server/lifecycle.test.ts",
    tests: ["if the server cannot listen, everything is stopped"],
    why: "the message of the error does not name its code, which is EADDRINUSE",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "server/process.test.ts",
    tests: [
      "Listening S3: the error about a socket file that cannot be created does not mention ports",
    ],
    why: "the error of the system for that path has another code",
  },
  {
    hosts: ["Deno"],
    file: "server/shutdown-connections.test.ts",
    tests: [
      "S13: a request that has arrived in time gets a response even if a busy machine lets it be read late",
    ],
    why: "a request on a kept connection may meet a reset when the server closes",
  },
  {
    hosts: ["Deno"],
    file: "server/shutdown.test.ts",
    tests: [
      'S1: on SIGTERM, with a hook, the running request is finished, then the output is ["hook"], and the exit code is 0',
      'S1: on SIGINT, with a hook, the running request is finished, then the output is ["hook"], and the exit code is 0',
      "S1: on SIGTERM, without a hook, the running request is finished, then the output is [], and the exit code is 0",
      'S1: on SIGUSR2, with a configured signal, the running request is finished, then the output is ["hook"], and the exit code is 0',
      'S1: on SIGTERM, with a hook that fails, the running request is finished, then the output is ["hook"], and the exit code is 1',
      'S1: on SIGTERM, with a hook that hangs, the running request is finished, then the output is ["hook"], and the exit code is 1',
      'S1: on SIGTERM, with the longest limit, the running request is finished, then the output is ["hook"], and the exit code is 0',
      'S1: on SIGTERM, with a resource, the running request is finished, then the output is ["onStop","resource","hook"], and the exit code is 0',
      'S1: on SIGTERM, with a resource that fails, the running request is finished, then the output is ["resource","hook"], and the exit code is 1',
      "S16: beside an open server in the same process, the running request is finished",
      "S16: beside a closed server in the same process, the running request is finished",
      "S1: a second signal ends the process at once, with exit code 1",
    ],
    why: "a child process that got a signal is told to have ended by it, although it has ended with its own code",
  },
  {
    hosts: ["Deno"],
    file: "server/shutdown.test.ts",
    tests: [
      "S2: requests that have arrived on idle connections when the shutdown begins are all served",
    ],
    why: "a request on a kept connection may meet a reset when the server closes",
  },
  {
    hosts: ["Bun"],
    file: "server/shutdown.test.ts",
    tests: ["S1: a large response that its client is still reading is sent completely"],
    why: "closing idle connections also ends those whose response is still being read",
  },
  {
    hosts: ["Deno"],
    file: "shortcuts/shortcuts.test.ts",
    tests: [
      "a request whose body arrives with its head ends before the handler runs, without being resumed",
    ],
    why: "the body arrives in a later turn than its head",
  },
  {
    hosts: ["Bun"],
    file: "shortcuts/shortcuts.test.ts",
    tests: [
      "a request ends without being read, even with an access log, unless a handler listens for the response's `close`",
      "a request whose body arrives with its head ends before the handler runs, without being resumed",
      "a tool that has replaced `write` of a class of Node.js sees each event: OutgoingMessage",
    ],
    why: "the shortcuts are off, and responses are written past `OutgoingMessage`",
  },
  {
    hosts: ["Bun"],
    file: "streams/event-stream-faults.test.ts",
    tests: [
      "H21: what fails when a timer sends a comment ends the stream, not the process with a 500 if the head cannot be sent and the handler waits for its signal",
      "H21: what fails when a timer sends a comment ends the stream, not the process with a 500 if the head cannot be sent and the handler throws the reason of its signal",
      "H21: what fails when a timer sends a comment ends the stream, not the process with a 500 if the head cannot be sent and the handler emits later",
    ],
    why: "a reason phrase beyond Latin-1 is sent, which Node.js refuses",
  },
  {
    hosts: ["Bun"],
    file: "testing/parity.test.ts",
    tests: [
      "testEndpoint returns the same response as a server: errors 'an HTTP error with headers'",
      "testEndpoint returns the same response as a server: methods and outputs 'Unicode in the body and the headers'",
    ],
    why: "header fields beyond ASCII are sent as UTF-8",
  },
  {
    hosts: ["Bun"],
    file: "testing/parity.test.ts",
    tests: [
      "testEndpoint returns the same response as a server: streams 'a throw right after two chunks'",
      "testEndpoint returns the same response as a server: streams 'a body shorter than its Content-Length'",
      "testEndpoint returns the same response as a server: streams 'a body shorter than announced'",
    ],
    why: "the bytes before a failure are sent, where Node.js sends none or fewer of them",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "transactions/waiting.test.ts",
    tests: [
      "H22: an `around` middleware waits for the handler and rolls back if the client leaves before the handler has begun",
      "H22: an `around` middleware waits for the handler H10: and a fault of the handler after the client has left is logged as a warning",
      "H22: what else surrounds a handler waits for it a transaction, if the client leaves while a native middleware that calls `next` later is at work",
      "H22: what else surrounds a handler waits for it a transaction, if the client leaves while a native middleware that is async is at work",
    ],
    why: "in one process with its client, the server learns later than the client that it has left",
  },
  {
    hosts: ["Bun", "Deno"],
    file: "whole-apis/users-api.test.ts",
    tests: ["R15: the users API compares digests of equal length in constant time"],
    why: "`timingSafeEqual` of `node:crypto` cannot be watched as the test does",
  },
  {
    hosts: ["Bun"],
    file: "pipeline/stages.test.ts",
    tests: [
      "every request: configuration accessLogger and childLoggerProvider childLoggerProvider returns a logger: the handlers and the access log use it",
      "every request: configuration accessLogger and childLoggerProvider childLoggerProvider returns a promise of a logger",
      "every request: configuration accessLogger and childLoggerProvider childLoggerProvider returns nothing: the parent logger is used",
    ],
    why: "the bytes in the access log are those of the body, without the head",
  },
  {
    hosts: ["Bun"],
    file: "server/shutdown-connections.test.ts",
    tests: [
      "S13: `closeIdleConnections` ends idle connections, but not those whose response is still being read",
      "S13: `close` ends idle connections, but not those whose response is still being read",
    ],
    why: "closing idle connections also ends those whose response is still being read",
  },
  {
    hosts: ["Bun"],
    file: "server/shutdown-connections.test.ts",
    tests: [
      "S13: a connection that has just been opened may still send its request, which gets a response",
      "S13: a request that has arrived in time gets a response even if a busy machine lets it be read late",
      "S13: idle connections end at once even if their clients have sent nothing at all, or nothing since the last response",
    ],
    why: "the server learns of a connection with its first request only",
  },
  {
    hosts: ["Bun"],
    file: "server/shutdown-connections.test.ts",
    tests: [
      "S14: requests parsed before the shutdown get responses in order if they are pipelined, and the last response ends the connection",
    ],
    why: "a connection ends with the running response, and those that wait behind it are lost",
  },
];
