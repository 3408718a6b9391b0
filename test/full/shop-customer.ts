import { randomUUID } from "node:crypto";
import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { sleep } from "./harness.ts";

/** What a customer received; the status of a failed connection is the code of its error. */
export interface Reply {
  readonly status: number | string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A reply that is no success, and the path of the request. */
export interface Failure extends Reply {
  readonly path: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

interface Page {
  readonly data: { readonly books: readonly { readonly id: string }[] };
}

let count = 0;

/** A customer with an address of their own, who buys, and watches the orders. */
export class Customer {
  readonly #port: number;
  readonly #number = count++;
  readonly #agent: Agent;
  #cookie = "";
  #books: readonly string[] = [];
  #isLeaving = false;
  #lastId = "";
  /** Each reply that a request has received. */
  readonly replies = new Map<number | string, number>();
  readonly failures: Failure[] = [];
  /** The ids of the orders that the shop has confirmed. */
  readonly orders: string[] = [];
  /** The events of the stream: the order and its status; `gap` without order. */
  readonly events: string[] = [];
  streams = 0;

  constructor(port: number, keepAlive: boolean) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive });
  }

  #open(
    path: string,
    { method = "GET", headers = {}, body }: Sent,
    use: (response: IncomingMessage) => void,
    fail: (error: Error) => void,
  ): void {
    const text = body && JSON.stringify(body);
    const sent = httpRequest({
      host: "127.0.0.1",
      // an address of one's own, by which the shop limits
      localAddress: `127.0.${1 + Math.floor(this.#number / 200)}.${1 + (this.#number % 200)}`,
      port: this.#port,
      path,
      method,
      agent: this.#agent,
      headers: {
        ...(text !== undefined && { "content-type": "application/json" }),
        ...(this.#cookie && { cookie: this.#cookie }),
        ...headers,
      },
    });
    sent.on("response", use).on("error", fail).end(text);
  }

  /** Sends one request, and never a second time. */
  async send(path: string, sent: Sent = {}): Promise<Reply> {
    const reply = await new Promise<Reply>((resolve) => {
      const fail = ({ code, message }: NodeJS.ErrnoException): void =>
        resolve({ status: code ?? message, headers: {}, text: "" });
      const read = (response: IncomingMessage): void => {
        let text = "";
        response.on("data", (piece: Buffer) => (text += piece.toString()));
        response.on("error", fail);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      };
      this.#open(path, sent, read, fail);
    });
    this.replies.set(reply.status, (this.replies.get(reply.status) ?? 0) + 1);
    if (typeof reply.status === "string" || reply.status >= 400)
      this.failures.push({ path, ...reply });
    return reply;
  }

  /** Opens an account, and logs in. */
  async enter(): Promise<void> {
    const email = `${randomUUID()}@example.com`;
    const body = { email, password: "a password for tests" };
    await this.send("/v2/accounts", { method: "POST", body: { ...body, name: "Customer" } });
    const { headers } = await this.send("/v2/session", { method: "POST", body });
    this.#cookie = headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  }

  async browse(): Promise<void> {
    const { status, text } = await this.send("/v2/books?inStock=true&sort=price&limit=10");
    if (status === 200) this.#books = (JSON.parse(text) as Page).data.books.map(({ id }) => id);
    await this.send(`/v2/books/${this.#pick()}`);
  }

  #pick(): string {
    return this.#books[Math.floor(Math.random() * this.#books.length)] ?? randomUUID();
  }

  /** Puts a book in the cart, and orders it. */
  async order(): Promise<void> {
    const items = [{ bookId: this.#pick(), quantity: 1 }];
    const { status } = await this.send("/v2/cart", { method: "PUT", body: { items } });
    if (status !== 200) return;
    const headers = { "idempotency-key": randomUUID() };
    const reply = await this.send("/v2/orders", { method: "POST", headers });
    if (reply.status === 201)
      this.orders.push((JSON.parse(reply.text) as { data: { id: string } }).data.id);
  }

  /** Follows the orders until the customer leaves; resumes when a stream ends. */
  async watch(): Promise<void> {
    const path = "/v2/orders/events";
    while (!this.#isLeaving) {
      this.streams++;
      await new Promise<void>((resolve) => {
        const read = (response: IncomingMessage): void => {
          const { statusCode = 0 } = response;
          this.replies.set(statusCode, (this.replies.get(statusCode) ?? 0) + 1);
          if (statusCode !== 200)
            this.failures.push({ path, status: statusCode, headers: response.headers, text: "" });
          let text = "";
          response.on("data", (piece: Buffer) => {
            const blocks = (text + piece.toString()).split("\n\n");
            text = blocks.pop() ?? "";
            for (const block of blocks) this.#take(block);
          });
          response.on("error", () => undefined).on("close", resolve);
        };
        const fail = ({ message }: Error): void => {
          this.failures.push({ path, status: message, headers: {}, text: "" });
          resolve();
        };
        const headers = {
          accept: "text/event-stream",
          ...(this.#lastId && { "last-event-id": this.#lastId }),
        };
        this.#open(path, { headers }, read, fail);
      });
      await sleep(100);
    }
  }

  #take(block: string): void {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1];
    this.#lastId = field("id") ?? this.#lastId;
    const data = field("data");
    if (data === undefined) return;
    const { id = "", status = "" } = JSON.parse(data) as { id?: string; status?: string };
    this.events.push(field("event") === "gap" ? "gap" : `${id} ${status}`);
  }

  /** Returns the confirmed orders of which the customer has not heard that they are paid for. */
  listUnheard(): string[] {
    const heard = new Set(this.events);
    return this.orders.filter((id) => !heard.has(`${id} paid`));
  }

  leave(): void {
    this.#isLeaving = true;
    this.#agent.destroy();
  }
}

/** Adds up the replies of customers, by status. */
export const sumReplies = (customers: readonly Customer[]): Record<string, number> => {
  const sum: Record<string, number> = {};
  for (const { replies } of customers)
    for (const [status, number] of replies) sum[status] = (sum[status] ?? 0) + number;
  return sum;
};
