import { fileURLToPath } from "node:url";
import { ServeStatic, type Routing } from "sallyport";
import * as accounts from "./accounts/account-endpoints.ts";
import * as administration from "./books/admin-endpoints.ts";
import * as books from "./books/book-endpoints.ts";
import * as covers from "./books/cover-endpoints.ts";
import * as cart from "./orders/cart-endpoints.ts";
import * as orders from "./orders/order-endpoints.ts";
import { receivePayment } from "./orders/webhook-endpoint.ts";

/** The page in `example/web`, if it has been built. */
export const pageFolder: string = fileURLToPath(new URL("../web/dist", import.meta.url));

/** The paths of the endpoints. */
export const routing = {
  v1: { books: { get: books.listOldBooks, ":id": books.readOldBook } },
  v2: {
    accounts: { post: accounts.signUp },
    session: { post: accounts.logIn, get: accounts.readSession, delete: accounts.logOut },
    me: accounts.readMe,
    tokens: {
      post: accounts.createToken,
      get: accounts.listTokens,
      "delete :id": accounts.deleteToken,
    },
    books: {
      get: books.listBooks,
      ":id": { get: books.readBook, cover: { get: covers.readCover, put: covers.sendCover } },
    },
    categories: books.listCategories,
    cart: {
      get: cart.readCart,
      put: cart.replaceCart,
      "items/:bookId": { put: cart.setCartItem, delete: cart.removeCartItem },
    },
    orders: {
      post: orders.createOrder,
      get: orders.listOrders,
      events: orders.watchOrders,
      ":id": { get: orders.readOrder, patch: orders.cancelOrder },
    },
    "post payments/webhook": receivePayment,
  },
  admin: {
    books: {
      post: administration.createBook,
      ":id": {
        get: administration.readBookForChange,
        patch: administration.changeBook,
        delete: administration.deleteBook,
      },
      "post import": administration.importBooks,
    },
    "get books.csv": administration.exportBooks,
    "get orders": orders.listAllOrders,
  },
  // the page in `example/web`, if it has been built; the names of assets change with their content
  assets: new ServeStatic(`${pageFolder}/assets`, {
    access: "public",
    immutable: true,
    maxAge: "1y",
  }),
  "": new ServeStatic(pageFolder, { access: "public" }),
} satisfies Routing;
