/**
 * The URL of a file of this package. It has a module of its own, because `import.meta` is a syntax error where tools such
 * as Jest turn modules into CommonJS; the build adds a second one for them.
 */
export const ownFile: string = import.meta.url;
