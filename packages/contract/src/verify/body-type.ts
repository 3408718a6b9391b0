export const isJsonType = (type: string): boolean => /\bjson\b/.test(type);
export const isMultipart = (type: string): boolean => type.startsWith("multipart/form-data");
export const isForm = (type: string): boolean =>
  isMultipart(type) || type.startsWith("application/x-www-form-urlencoded");
