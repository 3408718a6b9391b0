export const toWords = (text: string): readonly string[] =>
  text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");

export const capitalise = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
