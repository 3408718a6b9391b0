import { randomUUID } from "node:crypto";

/** A user as it is stored. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: "admin" | "member";
  readonly createdAt: Date;
}

/** The fields of a user that a client may set. */
export type UserFields = Pick<User, "name" | "email" | "role">;

/** The fields that a client may change; undefined ones stay as they are. */
export type UserChanges = { readonly [K in keyof UserFields]?: UserFields[K] | undefined };

/** Users in memory; they are gone when the process ends. */
export class UsersStore {
  readonly #users = new Map<string, User>();

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
    const user = { ...fields, id: randomUUID(), createdAt: new Date() };
    this.#users.set(user.id, user);
    return user;
  }

  update(id: string, changes: UserChanges): User | undefined {
    const known = this.#users.get(id);
    if (!known) return undefined;
    const user = {
      ...known,
      name: changes.name ?? known.name,
      email: changes.email ?? known.email,
      role: changes.role ?? known.role,
    };
    this.#users.set(id, user);
    return user;
  }

  remove(id: string): boolean {
    return this.#users.delete(id);
  }
}
