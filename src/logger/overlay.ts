export type Members = Record<PropertyKey, unknown>;

/** Converts a value that is written in place of one of the overlay's own members. */
type ToMember = (key: PropertyKey, value: unknown) => unknown;

/** The traps of an overlay, whose target holds only its own members. */
class Overlay implements ProxyHandler<Members> {
  readonly proxy: object;
  readonly #base: Members;
  readonly #toMember: ToMember;

  constructor(own: Members, base: object, toMember: ToMember) {
    this.#base = base as Members;
    this.#toMember = toMember;
    this.proxy = new Proxy(own, this);
  }

  get(own: Members, key: PropertyKey): unknown {
    if (Object.hasOwn(own, key)) return own[key];
    const value = this.#base[key];
    // the methods of a class may use private members
    return typeof value === "function" && !Object.hasOwn(this.#base, key)
      ? (value.bind(this.#base) as unknown)
      : value;
  }

  set(own: Members, key: PropertyKey, value: unknown, receiver: unknown): boolean {
    const holder = Object.hasOwn(own, key) ? own : this.#base;
    // an object that inherits from the proxy keeps what is written to it
    const writer = receiver === this.proxy ? holder : receiver;
    return Reflect.set(holder, key, this.#toMember(key, value), writer);
  }

  has(own: Members, key: PropertyKey): boolean {
    return Object.hasOwn(own, key) || Reflect.has(this.#base, key);
  }

  defineProperty(own: Members, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (Object.hasOwn(own, key)) {
      const { value } = descriptor as { readonly value?: unknown };
      const given = value === undefined ? {} : { value: this.#toMember(key, value) };
      return Reflect.defineProperty(own, key, { ...descriptor, ...given });
    }
    return (
      Reflect.defineProperty(this.#base, key, descriptor) &&
      // JavaScript requires that the target has what can never change
      (descriptor.configurable !== false || Reflect.defineProperty(own, key, descriptor))
    );
  }

  deleteProperty(own: Members, key: PropertyKey): boolean {
    return !Object.hasOwn(own, key) && Reflect.deleteProperty(this.#base, key);
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.#base);
  }

  ownKeys(own: Members): (string | symbol)[] {
    return [...new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(this.#base)])];
  }

  getOwnPropertyDescriptor(own: Members, key: PropertyKey): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(own, key);
    if (descriptor) return descriptor;
    const found = Reflect.getOwnPropertyDescriptor(this.#base, key);
    return found && { ...found, configurable: true };
  }
}

/**
 * Replaces some members of an object. All other members are those of the object, and whatever is written to them
 * reaches it.
 *
 * @param own the replacing members; what is written to them stays in the overlay
 */
export const overlay = (
  own: Members,
  base: object,
  toMember: ToMember = (_key, value) => value,
): object => new Overlay(own, base, toMember).proxy;
