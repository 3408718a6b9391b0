export const endpointMethods = ["get", "post", "put", "patch", "delete"] as const;

/** A method that an endpoint may declare. */
export type Method = (typeof endpointMethods)[number];

export const isMethod = (name: string): name is Method =>
  (endpointMethods as readonly string[]).includes(name);
