import { createHash } from "node:crypto";
import zlib from "node:zlib";
import fc from "fast-check";

/** The expected response to one request. */
export interface Expected {
  readonly status: number;
  /** A string that the response must contain. */
  readonly text?: string;
}

/** The bytes of a request, and the expected response. */
export interface Sent extends Expected {
  readonly bytes: Buffer;
  /** Whether this is the last request that may get a response. */
  readonly isLast: boolean;
  /** Whether the connection may end with this request, depending on how much has arrived by then. */
  readonly mayBeLast?: boolean;
}

/** A connection with its requests, and how the client sends them. */
export interface ConnectionCase {
  readonly requests: readonly Sent[];
  /** Where the sent bytes are split, as fractions of their length, and the pause after each part, in milliseconds. */
  readonly splits: readonly (readonly [share: number, pause: number])[];
  /** How the client disconnects before everything is sent or received; undefined if it waits for the responses. */
  readonly abort:
    | undefined
    | { readonly share: number; readonly pause: number; readonly isReset: boolean };
  readonly isTls: boolean;
}

const md5 = (content: string | Buffer): string => createHash("md5").update(content).digest("hex");
const head = (line: string, fields: readonly string[] = []): string =>
  [`${line} HTTP/1.1`, "Host: a", ...fields, "", ""].join("\r\n");

const encoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } }),
};

const size = fc.oneof(
  { weight: 4, arbitrary: fc.nat(40) },
  { weight: 2, arbitrary: fc.nat(3000) },
  { weight: 1, arbitrary: fc.nat(150_000) },
);
const pad = fc
  .tuple(size, fc.constantFrom("x", "ab\u00e9", "0123456789"))
  .map(([length, unit]) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length));
const id = fc.nat(1_000_000);
/** The sizes of the chunks; undefined for a body with a Content-Length. */
const chunking = fc.option(
  fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 20_000 })), {
    minLength: 1,
    maxLength: 20,
  }),
  {
    nil: undefined,
  },
);

const frame = (
  line: string,
  fields: readonly string[],
  body: Buffer,
  chunks: readonly number[] | undefined,
): Buffer => {
  if (!chunks)
    return Buffer.concat([
      Buffer.from(head(line, [...fields, `Content-Length: ${body.length}`])),
      body,
    ]);
  const parts: Buffer[] = [Buffer.from(head(line, [...fields, "Transfer-Encoding: chunked"]))];
  for (let at = 0, index = 0; at < body.length; index++) {
    const length =
      index < chunks.length * 3 ? (chunks[index % chunks.length] as number) : body.length;
    const piece = body.subarray(at, at + length);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
};

const plain = (bytes: string | Buffer, status: number, text?: string, isLast = false): Sent => ({
  bytes: Buffer.from(bytes as string),
  status,
  isLast,
  ...(text === undefined ? {} : { text }),
});
const echoed = (number: number, content: string | Buffer): string =>
  `{"id":${number},"digest":"${md5(content)}"}`;
const json = "Content-Type: application/json";
const multipart = "Content-Type: multipart/form-data; boundary=b";

const jsonRequest: fc.Arbitrary<Sent> = fc
  .tuple(id, pad, chunking, fc.constantFrom(...Object.keys(encoders)), fc.nat(5))
  .map(([number, content, chunks, encoding, expecting]) => {
    const body = (encoders[encoding] as (bytes: Buffer) => Buffer)(
      Buffer.from(JSON.stringify({ id: number, pad: content })),
    );
    const fields = [
      json,
      ...(encoding === "identity" ? [] : [`Content-Encoding: ${encoding}`]),
      ...(expecting === 0 ? ["Expect: 100-continue"] : []),
    ];
    return plain(frame("POST /json", fields, body, chunks), 200, echoed(number, content));
  });

const uploadRequest: fc.Arbitrary<Sent> = fc
  .tuple(id, pad, chunking)
  .map(([number, content, chunks]) => {
    const body = Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="id"\r\n\r\n${number}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${content}\r\n--b--\r\n`,
    );
    return plain(frame("POST /upload", [multipart], body, chunks), 200, echoed(number, content));
  });

const formRequest: fc.Arbitrary<Sent> = fc
  .tuple(id, fc.nat(200), chunking)
  .map(([number, length, chunks]) => {
    const body = Buffer.from(`id=${number}&pad=${"x".repeat(length)}`);
    const fields = ["Content-Type: application/x-www-form-urlencoded"];
    return plain(
      frame("POST /json", fields, body, chunks),
      200,
      echoed(number, "x".repeat(length)),
    );
  });

/** Requests whose bodies no handler reads; the connection stays open, unless a body is rejected that may be long. */
const unwanted: fc.Arbitrary<Sent> = fc
  .tuple(
    pad,
    chunking,
    fc.constantFrom<readonly [string, string, number]>(
      ["POST /none", json, 404],
      ["PUT /json", json, 405],
      ["POST /json", "Content-Type: text/plain", 415],
      ["POST /echo", json, 405],
      ["PUT /early", json, 200],
    ),
  )
  .map(([content, chunks, [line, field, status]]) => {
    const body = Buffer.from(content || "x");
    const mayBeLast = status >= 400 && (chunks !== undefined || body.length > 65_536);
    return { ...plain(frame(line, [field], body, chunks), status), mayBeLast };
  });

const small: fc.Arbitrary<Sent> = fc.oneof(
  id.map((number) => plain(head(`GET /echo?id=${number}`), 200, echoed(number, ""))),
  fc
    .tuple(id, fc.nat(8))
    .map(([number, ms]) => plain(head(`GET /slow?id=${number}&ms=${ms}`), 200, echoed(number, ""))),
  fc.constantFrom(
    plain(head("GET /files/file.bin"), 200, "f".repeat(5000)),
    plain(head("GET /piped"), 200, "f".repeat(5000)),
    plain(head("GET /big"), 200, "b".repeat(300_000)),
    plain(head("GET /none"), 404),
    plain(head("GET /%zz"), 400),
    plain(head("GET /echo?id=x"), 400),
    plain(frame("POST /json", [json], Buffer.from("{"), undefined), 400),
    plain(head("HEAD /none"), 404),
  ),
);

const last: fc.Arbitrary<Sent> = fc.constantFrom(
  plain(head("GET /echo?id=1", ["Host: b"]), 400, undefined, true),
  plain(
    `${head("POST /json", [json, "Transfer-Encoding: gzip, chunked"])}0\r\n\r\n`,
    400,
    undefined,
    true,
  ),
  plain(frame("POST /json", [json], Buffer.alloc(400_000, 32), undefined), 413, undefined, true),
  plain(frame("POST /json", [json], Buffer.alloc(320_000, 32), [20_000]), 413, undefined, true),
  plain(
    frame("POST /none", ["Expect: 100-continue"], Buffer.from("hello"), undefined),
    404,
    undefined,
    true,
  ),
  plain(head("GET /echo?id=7", ["Connection: close"]), 200, echoed(7, ""), true),
  plain("garbage\r\n\r\n", 400, undefined, true),
  plain(`${head("POST /json", [json, "Transfer-Encoding: chunked"])}zz\r\n`, 400, undefined, true),
);

const request: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 6, arbitrary: small },
  { weight: 5, arbitrary: jsonRequest },
  { weight: 2, arbitrary: uploadRequest },
  { weight: 1, arbitrary: formRequest },
  { weight: 2, arbitrary: unwanted },
  { weight: 1, arbitrary: last },
);

const share = fc.double({ min: 0, max: 1, noNaN: true });

/** A generator of connections with pipelined requests, split and aborted at random. */
export const connectionCases: fc.Arbitrary<ConnectionCase> = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 8 }),
  splits: fc.array(fc.tuple(share, fc.nat(4)), { maxLength: 6 }),
  abort: fc.option(fc.record({ share, pause: fc.nat(12), isReset: fc.boolean() }), {
    nil: undefined,
    freq: 1,
  }),
  isTls: fc.nat(3).map((number) => number === 0),
});

/** Returns the responses that a client must receive if it does not disconnect early. */
export const toExpected = ({ requests }: ConnectionCase): readonly Sent[] => {
  const end = requests.findIndex(({ isLast }) => isLast);
  return end < 0 ? requests : requests.slice(0, end + 1);
};
