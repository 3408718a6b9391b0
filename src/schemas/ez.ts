export { form, raw, upload } from "./bodies.ts";
export { buffer, file, stream } from "./content.ts";
export { cursor } from "./cursor.ts";
export { dateIn, dateOut } from "./dates.ts";
export { encode } from "./encode.ts";
export { paginated } from "./paginated.ts";
