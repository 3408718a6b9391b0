import type { Routing } from "sallyport";
import {
  createUser,
  exportUsers,
  listUsers,
  readUser,
  removeUser,
  updateUser,
} from "./users-endpoints.ts";

/** Assigns paths to the endpoints: nested keys, and one flat key with its method. */
export const routing = {
  v1: {
    users: {
      "": listUsers,
      post: createUser,
      ":id": {
        get: readUser,
        patch: updateUser,
        delete: removeUser,
      },
    },
  },
  "get /v1/exports/users.csv": exportUsers,
} satisfies Routing;
