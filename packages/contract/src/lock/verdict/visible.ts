/**
 * Shows the characters of a text that would end its line, act on a terminal, turn the order of letters, or stand in no
 * XML, and the second `#` in a row, with which commands in the logs of CI begin.
 */
export const toVisible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\ufffe\uffff]|(?<=#)#/gu,
    (sign) => names[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const names: Readonly<Record<string, string>> = {
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\t": String.raw`\t`,
};
