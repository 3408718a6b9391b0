/** An error of a document that cannot be used; the message names the file, the place and the fix. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}
