/** Matches a host with an optional port, but nothing that another server could interpret differently. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+;=-]+)(?::\d{0,5})?$/i;

/** Checks whether a string is a host with an optional port. */
export const isHost = (text: string): boolean => hostPattern.test(text);
