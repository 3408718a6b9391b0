/**
 * A constructor of empty objects without a prototype, for properties whose names are sent by clients.
 * `Object.create(null)` would return an object in V8's slow mode, which costs a microsecond per request.
 */
export const BareObject = function () {
  // has no members
} as unknown as new () => Record<string, unknown>;

BareObject.prototype = Object.freeze(Object.create(null));
