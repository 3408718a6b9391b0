/** A host and perhaps a port, without anything that another server could read in another way. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]+)(?::\d{0,5})?$/i;

/** Tells whether a text is a host and perhaps a port. */
export const isHost = (text: string): boolean => hostPattern.test(text);
