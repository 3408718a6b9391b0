import { dateIn, dateOut } from "./dates.ts";

/** Schemas that Zod does not have, for the inputs and outputs of endpoints. */
export const ez: { readonly dateIn: typeof dateIn; readonly dateOut: typeof dateOut } = {
  dateIn,
  dateOut,
};
