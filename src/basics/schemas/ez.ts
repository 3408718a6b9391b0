import { cursor } from "./cursor.ts";
import { dateIn, dateOut } from "./dates.ts";
import { encode } from "./encode.ts";
import { form, raw, upload } from "./bodies.ts";
import { paginated } from "./paginated.ts";
import { buffer, file, stream } from "./content.ts";

/** Schemas that Zod lacks, for the inputs and outputs of endpoints. */
export const ez: {
  readonly buffer: typeof buffer;
  readonly cursor: typeof cursor;
  readonly dateIn: typeof dateIn;
  readonly dateOut: typeof dateOut;
  readonly encode: typeof encode;
  readonly file: typeof file;
  readonly form: typeof form;
  readonly paginated: typeof paginated;
  readonly raw: typeof raw;
  readonly stream: typeof stream;
  readonly upload: typeof upload;
} = {
  ...{ buffer, cursor, dateIn, dateOut, encode, file },
  ...{ form, paginated, raw, stream, upload },
};
