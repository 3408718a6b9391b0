import type { Request, Security } from "sallyport";

/** Checks whether a request has credentials of the declared kind; whatever they are, a mock accepts them. */
export const hasCredentials = (security: Security, request: Request, input: unknown): boolean => {
  if ("and" in security) return security.and.every((one) => hasCredentials(one, request, input));
  if ("or" in security) return security.or.some((one) => hasCredentials(one, request, input));
  const { authorization = "", cookie = "" } = request.headers;
  switch (security.type) {
    case "basic":
      return /^Basic ./i.test(authorization);
    case "bearer":
    case "oauth2":
    case "openid":
      return /^Bearer ./i.test(authorization);
    case "header":
      return request.get(security.name) !== undefined;
    case "cookie":
      return cookie.split(/; */).some((one) => one.startsWith(`${security.name}=`));
    case "query":
      return security.name in request.query;
    default:
      return Reflect.get(Object(input) as object, security.name) !== undefined;
  }
};
