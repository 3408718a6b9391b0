const { URL_OF_API, KEY_OF_API } = process.env;
if (URL_OF_API === undefined || KEY_OF_API === undefined) throw new Error("Which API?");

export const url = URL_OF_API;
export const key = KEY_OF_API;

export function assert(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
