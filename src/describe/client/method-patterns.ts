// What the client knows of methods, in upper case: a test compares this with the table of the server.

export const idempotentMethods = ["GET", "PUT", "DELETE", "QUERY"];

export const isSafe = (method: string): boolean => /^[GQ]/.test(method);

export const takesBody = (method: string): boolean => /^[PQ]/.test(method);
