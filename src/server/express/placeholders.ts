/** The members that Express adds to requests, apart from those that `ExpressRequest` defines itself. */
export const requestMembers: readonly string[] = [
  ...["accepts", "acceptsCharsets", "acceptsEncodings", "acceptsLanguages", "app", "fresh", "get"],
  ...["header", "host", "hostname", "ip", "ips", "is", "path", "protocol", "range", "secure"],
  ...["stale", "subdomains", "xhr"],
];

/** The members that Express adds to responses. */
export const responseMembers: readonly string[] = [
  ...["app", "append", "attachment", "clearCookie", "contentType", "cookie", "download", "format"],
  ...["get", "header", "json", "jsonp", "links", "location", "redirect", "render", "send"],
  ...["sendFile", "sendStatus", "set", "status", "type", "vary"],
];

/** Copies the members that Express adds, including `app`, to a prototype. */
export const adopt = (target: object, own: object, except: readonly string[]): void => {
  for (const source of [Object.getPrototypeOf(own) as object, own]) {
    const descriptors = Object.getOwnPropertyDescriptors(source);
    for (const name of except) delete descriptors[name as keyof typeof descriptors];
    Object.defineProperties(target, descriptors);
  }
};

/** Adds placeholders to a prototype; when one is first used, all of them are replaced by Express' members. */
export const adoptLater = (
  target: object,
  members: readonly string[],
  adoptAll: () => unknown,
): void => {
  for (const member of members)
    Object.defineProperty(target, member, {
      configurable: true,
      enumerable: true,
      get(this: object): unknown {
        // the placeholder must not remain, even if this version of Express lacks the member
        Reflect.deleteProperty(target, member);
        adoptAll();
        return Reflect.get(target, member, this);
      },
      set(this: object, value: unknown): void {
        Reflect.deleteProperty(target, member);
        adoptAll();
        Reflect.set(target, member, value, this);
      },
    });
};
