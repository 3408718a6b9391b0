import { sql } from "drizzle-orm";
import {
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uuid,
} from "drizzle-orm/pg-core";

const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const createdAt = instant("created_at").notNull().defaultNow();

export const accounts = pgTable("accounts", {
  id: uuid("id").primaryKey().defaultRandom(),
  email: text("email").notNull().unique(),
  name: text("name").notNull(),
  role: text("role", { enum: ["customer", "admin"] }).notNull(),
  /** The parameters, the salt and the hash of scrypt. */
  password: text("password").notNull(),
  createdAt,
});

const accountId = uuid("account_id")
  .notNull()
  .references(() => accounts.id, { onDelete: "cascade" });

/** What a client shows to be recognised: the cookie of a session, or a token for programs. */
export const credentials = pgTable(
  "credentials",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    accountId,
    kind: text("kind", { enum: ["session", "token"] }).notNull(),
    /** The name that the owner has given to a token. */
    name: text("name").notNull(),
    /** SHA-256 of the secret, which only the client has. */
    hash: text("hash").notNull().unique(),
    createdAt,
    expiresAt: instant("expires_at"),
  },
  (table) => [index("credentials_account").on(table.accountId)],
);

export const books = pgTable(
  "books",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    isbn: text("isbn").notNull().unique(),
    title: text("title").notNull(),
    author: text("author").notNull(),
    category: text("category").notNull(),
    description: text("description").notNull().default(""),
    /** In cents. */
    price: integer("price").notNull(),
    stock: integer("stock").notNull(),
    /** The name of the cover's file. */
    cover: text("cover"),
    /** Grows with each change, sales included. */
    version: integer("version").notNull().default(1),
    createdAt,
  },
  (table) => [
    index("books_category").on(table.category),
    check("books_stock", sql`${table.stock} >= 0`),
    check("books_price", sql`${table.price} > 0`),
  ],
);

export const cartItems = pgTable(
  "cart_items",
  {
    accountId,
    bookId: uuid("book_id")
      .notNull()
      .references(() => books.id, { onDelete: "cascade" }),
    quantity: integer("quantity").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.bookId] })],
);

export const orders = pgTable(
  "orders",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    accountId,
    /** The idempotency key of the request, so that even a killed process creates an order only once. */
    key: text("key").notNull(),
    status: text("status", { enum: ["placed", "paid", "refused", "cancelled"] })
      .notNull()
      .default("placed"),
    /** In cents. */
    total: integer("total").notNull().default(0),
    version: integer("version").notNull().default(1),
    createdAt,
  },
  (table) => [
    unique("orders_key").on(table.accountId, table.key),
    index("orders_account").on(table.accountId, table.createdAt, table.id),
  ],
);

const orderId = uuid("order_id")
  .notNull()
  .references(() => orders.id, { onDelete: "cascade" });

/** The books of an order, with the titles and prices of that day. */
export const orderItems = pgTable(
  "order_items",
  {
    orderId,
    bookId: uuid("book_id").notNull(),
    title: text("title").notNull(),
    price: integer("price").notNull(),
    quantity: integer("quantity").notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.bookId] })],
);

/** The charges that the payment provider is asked for, until it has answered. */
export const payments = pgTable(
  "payments",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    orderId: orderId.unique(),
    amount: integer("amount").notNull(),
    status: text("status", { enum: ["requested", "succeeded", "failed", "withdrawn"] })
      .notNull()
      .default("requested"),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at").notNull().defaultNow(),
  },
  (table) => [index("payments_due").on(table.status, table.nextAttemptAt)],
);

/** The replies of requests with an idempotency key, as `postgresTable` of sallyport/idempotency describes them. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    key: text("key").primaryKey(),
    token: text("token").notNull(),
    fingerprint: text("fingerprint").notNull(),
    reply: text("reply"),
    endsAt: timestamp("ends_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("idempotency_keys_ends_at").on(table.endsAt)],
);
