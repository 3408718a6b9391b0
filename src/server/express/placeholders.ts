/** What Express adds to requests, but what is made anew here. */
export const requestMembers: readonly string[] = [
  ...["accepts", "acceptsCharsets", "acceptsEncodings", "acceptsLanguages", "app", "fresh", "get"],
  ...["header", "host", "hostname", "ip", "ips", "is", "path", "protocol", "range", "secure"],
  ...["stale", "subdomains", "xhr"],
];

/** What Express adds to responses. */
export const responseMembers: readonly string[] = [
  ...["app", "append", "attachment", "clearCookie", "contentType", "cookie", "download", "format"],
  ...["get", "header", "json", "jsonp", "links", "location", "redirect", "render", "send"],
  ...["sendFile", "sendStatus", "set", "status", "type", "vary"],
];

/** Gives a prototype what Express' own has: its methods and getters, and the application. */
export const adopt = (target: object, own: object, except: readonly string[]): void => {
  for (const source of [Object.getPrototypeOf(own) as object, own]) {
    const descriptors = Object.getOwnPropertyDescriptors(source);
    for (const name of except) delete descriptors[name as keyof typeof descriptors];
    Object.defineProperties(target, descriptors);
  }
};

/** Gives a prototype placeholders of members, which are adopted, all at once, when one of them is first used. */
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
        // an Express that lacks the member puts nothing in its place
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
