import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

/** A picture of one transparent pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><circle cx="32" cy="32" r="30"/></svg>\n';

/** The content of the media types that programs read, by the extension of a file. */
const contents: readonly (readonly [type: RegExp, extension: string, content: string | Buffer])[] =
  [
    [/^image\/svg/, "svg", picture],
    [/^image\//, "png", pixel],
    [/^text\/csv/, "csv", "id,name\n1,Amber\n2,Birch\n"],
    [/^text\/html/, "html", "<!doctype html><title>Mock</title><p>Amber birch\n"],
    [/ndjson|jsonl|json-seq/, "jsonl", '{"id":1}\n{"id":2}\n'],
    [/json/, "json", '{"id":1,"name":"Amber"}\n'],
    [/xml/, "xml", "<items><item>Amber</item></items>\n"],
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
