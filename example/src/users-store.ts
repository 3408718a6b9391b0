import { randomUUID } from "node:crypto";
import { EventEmitter, on } from "node:events";

/** A stored user. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: "admin" | "member";
  readonly createdAt: Date;
  /** The path of the picture. */
  readonly picture?: string | undefined;
}

/** A change to a user. */
export type UserChange =
  | { readonly event: "saved"; readonly user: User }
  | { readonly event: "removed"; readonly id: string };

/** The fields of a user that a client may set. */
export type UserFields = Pick<User, "name" | "email" | "role">;

/** The fields of a user that a client may change; undefined fields are left unchanged. */
export type UserChanges = { readonly [K in keyof UserFields]?: UserFields[K] | undefined };

/** Keeps users in memory; they are lost when the process ends. */
export class UsersStore {
  readonly #users = new Map<string, User>();
  readonly #pictures = new Map<string, Buffer>();
  // each watching client adds a listener, so there is no limit
  readonly #changes = new EventEmitter().setMaxListeners(0);

  list(offset: number, limit: number): { readonly users: User[]; readonly total: number } {
    const users = [...this.#users.values()].slice(offset, offset + limit);
    return { users, total: this.#users.size };
  }

  find(id: string): User | undefined {
    return this.#users.get(id);
  }

  hasEmail(email: string, except?: string): boolean {
    return [...this.#users.values()].some((user) => user.email === email && user.id !== except);
  }

  create(fields: UserFields): User {
    return this.#save({ ...fields, id: randomUUID(), createdAt: new Date() });
  }

  update(id: string, changes: UserChanges): User | undefined {
    const known = this.#users.get(id);
    if (!known) return undefined;
    return this.#save({
      ...known,
      name: changes.name ?? known.name,
      email: changes.email ?? known.email,
      role: changes.role ?? known.role,
    });
  }

  remove(id: string): boolean {
    if (!this.#users.delete(id)) return false;
    this.#pictures.delete(id);
    this.#tell({ event: "removed", id });
    return true;
  }

  findPicture(id: string): Buffer | undefined {
    return this.#pictures.get(id);
  }

  setPicture(id: string, picture: Buffer): User | undefined {
    const known = this.#users.get(id);
    if (!known) return undefined;
    this.#pictures.set(id, picture);
    // a new URL for each picture, so that no browser shows an old one
    return this.#save({ ...known, picture: `/v1/users/${id}/picture?version=${randomUUID()}` });
  }

  /** Yields each change to a user from now on, until the signal is aborted. */
  watch(signal: AbortSignal): AsyncIterable<readonly [UserChange]> {
    return on(this.#changes, "change", { signal }) as AsyncIterable<readonly [UserChange]>;
  }

  #save(user: User): User {
    this.#users.set(user.id, user);
    this.#tell({ event: "saved", user });
    return user;
  }

  #tell(change: UserChange): void {
    this.#changes.emit("change", change);
  }
}
