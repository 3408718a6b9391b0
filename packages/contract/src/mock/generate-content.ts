import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";

const fromBase64 = (text: string): Buffer => Buffer.from(text, "base64");

// pictures of one pixel
const png = fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
);
const gif = fromBase64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");
const jpeg = fromBase64(
  "/9j/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z",
);
const webp = fromBase64("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA");

/** One empty page. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
xref
0 4
0000000000 65535 f\x20
0000000009 00000 n\x20
0000000052 00000 n\x20
0000000101 00000 n\x20
trailer<</Size 4/Root 1 0 R>>
startxref
162
%%EOF
`;
const zip = Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(18)]);
const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="30"/></svg>\n';

/** The content of the media types that programs read, by the extension of a file. */
const contents: readonly (readonly [type: RegExp, extension: string, content: string | Buffer])[] =
  [
    [/^image\/svg/, "svg", picture],
    [/^image\/gif/, "gif", gif],
    [/^image\/p?jpe?g/, "jpg", jpeg],
    [/^image\/webp/, "webp", webp],
    [/^image\//, "png", png],
    [/pdf/, "pdf", pdf],
    [/zip-compressed|\/zip/, "zip", zip],
    [/gzip/, "gz", gzipSync("Amber birch\n")],
    [/^text\/csv/, "csv", "id,name\n1,Amber\n2,Birch\n"],
    [/^text\/html/, "html", "<!doctype html><title>Mock</title><p>Amber birch\n"],
    [/ndjson|jsonl|json-seq/, "jsonl", '{"id":1}\n{"id":2}\n'],
    [/json/, "json", '{"id":1,"name":"Amber"}\n'],
    [/\bxml/, "xml", "<items><item>Amber</item></items>\n"],
  ];

const findContent = (type: string) =>
  contents.find(([pattern]) => pattern.test(type)) ?? ([/^/, "txt", "Amber birch\n"] as const);

export const toBytes = (type = "text/plain"): Buffer => Buffer.from(findContent(type)[2]);

/** The files that a mock serves, in a folder of its own. */
export interface MockFiles {
  /** Returns the path of a file of a media type. */
  readonly find: (type?: string) => string;
  readonly remove: () => void;
}

export const createFiles = (): MockFiles => {
  let folder: string | undefined;
  return {
    find: (type = "text/plain") => {
      folder ??= mkdtempSync(join(tmpdir(), "sallyport-mock-"));
      const path = join(folder, `mock.${findContent(type)[1]}`);
      writeFileSync(path, toBytes(type));
      return path;
    },
    remove: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      folder = undefined;
    },
  };
};

/**
 * Yields what the schemas of content accept: `ez.buffer()`, `ez.stream()` and `ez.file()` are told apart by the values
 * that they accept.
 */
export function* contentsOf(type: string | undefined, files: MockFiles): Generator {
  yield toBytes(type);
  yield Readable.from([toBytes(type)]);
  yield files.find(type);
}
