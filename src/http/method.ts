/** The methods that an endpoint may declare. */
export const endpointMethods = ["get", "post", "put", "patch", "delete"] as const;

/** A method that an endpoint may declare. */
export type Method = (typeof endpointMethods)[number];

/** Checks whether a string is the name, in lower case, of a method that an endpoint may declare. */
export const isMethod = (name: string): name is Method =>
  (endpointMethods as readonly string[]).includes(name);
