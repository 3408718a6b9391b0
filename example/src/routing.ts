import { fileURLToPath } from "node:url";
import { ServeStatic, type Routing } from "sallyport";
import {
  createToken,
  deleteToken,
  listTokens,
  logIn,
  logOut,
  readMe,
  signUp,
} from "./accounts/account-endpoints.ts";
import {
  changeBook,
  createBook,
  deleteBook,
  exportBooks,
  importBooks,
  readBookForChange,
} from "./books/admin-endpoints.ts";
import {
  listBooks,
  listCategories,
  listOldBooks,
  readBook,
  readOldBook,
} from "./books/book-endpoints.ts";
import { readCover, sendCover } from "./books/cover-endpoints.ts";
import { readCart, removeCartItem, replaceCart, setCartItem } from "./orders/cart-endpoints.ts";
import {
  cancelOrder,
  createOrder,
  listOrders,
  readOrder,
  watchOrders,
} from "./orders/order-endpoints.ts";
import { receivePayment } from "./orders/webhook-endpoint.ts";

/** The paths of the endpoints. */
export const routing = {
  v1: { books: { get: listOldBooks, ":id": readOldBook } },
  v2: {
    accounts: { post: signUp },
    session: { post: logIn, delete: logOut },
    me: readMe,
    tokens: { post: createToken, get: listTokens, "delete :id": deleteToken },
    books: {
      get: listBooks,
      ":id": { get: readBook, cover: { get: readCover, put: sendCover } },
    },
    categories: listCategories,
    cart: {
      get: readCart,
      put: replaceCart,
      "items/:bookId": { put: setCartItem, delete: removeCartItem },
    },
    orders: {
      post: createOrder,
      get: listOrders,
      events: watchOrders,
      ":id": { get: readOrder, patch: cancelOrder },
    },
    "post payments/webhook": receivePayment,
  },
  admin: {
    books: {
      post: createBook,
      ":id": { get: readBookForChange, patch: changeBook, delete: deleteBook },
      "post import": importBooks,
    },
    "get books.csv": exportBooks,
  },
  // the page in `example/web`, if it has been built
  "": new ServeStatic(fileURLToPath(new URL("../web/dist", import.meta.url))),
} satisfies Routing;
