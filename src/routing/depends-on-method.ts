import { DefinitionError } from "../errors.ts";

/**
 * The class with which similar frameworks map methods to endpoints; here, methods are keys of the routing map.
 *
 * @deprecated write `{ get: listUsers, post: createUser }`
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- it is called with `new`
export class DependsOnMethod {
  /** @throws {@link DefinitionError} always. */
  constructor() {
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      "There is no DependsOnMethod. Write the methods as keys of the routing map, as in { get: listUsers, post: createUser }.",
    );
  }
}
