import { fileURLToPath } from "node:url";
import { ServeStatic, type Routing } from "sallyport";
import {
  createUser,
  exportUsers,
  listUsers,
  readPicture,
  readUser,
  removeUser,
  sendPicture,
  updateUser,
  watchUsers,
} from "./users-endpoints.ts";

/** The paths of the endpoints, as nested keys and one flat key that includes the method. */
export const routing = {
  v1: {
    users: {
      "": listUsers,
      post: createUser,
      ":id": {
        get: readUser,
        patch: updateUser,
        delete: removeUser,
        picture: { get: readPicture, post: sendPicture },
      },
      watch: watchUsers,
    },
  },
  "get /v1/exports/users.csv": exportUsers,
  // serves the page in `example/web`, if it has been built
  "": new ServeStatic(fileURLToPath(new URL("../web/dist", import.meta.url))),
} satisfies Routing;
