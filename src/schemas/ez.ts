import { dateIn, dateOut } from "./dates.ts";
import { form } from "./form.ts";
import { buffer, raw } from "./raw.ts";
import { upload } from "./upload.ts";

/** Schemas that Zod does not have, for the inputs and outputs of endpoints. */
export const ez: {
  readonly buffer: typeof buffer;
  readonly dateIn: typeof dateIn;
  readonly dateOut: typeof dateOut;
  readonly form: typeof form;
  readonly raw: typeof raw;
  readonly upload: typeof upload;
} = { buffer, dateIn, dateOut, form, raw, upload };
