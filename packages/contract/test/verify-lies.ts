import type { Request, Response } from "sallyport";
import type { CheckName } from "../src/index.ts";

/** A reply before it leaves the server. */
export interface Reply {
  status: number;
  readonly headers: Record<string, string>;
  body: string;
  encoding?: BufferEncoding;
}

/** A small change of the torture API that its document does not tell of. */
export interface Lie {
  readonly name: string;
  /** The operation that lies. */
  readonly on: string;
  /** Where the requests go that it changes, if not to the operation. */
  readonly also?: string;
  /** The check that finds it. */
  readonly check: CheckName;
  /** Changes a request before it is routed; returns true if it has answered. */
  readonly ask?: (request: Request, response: Response) => boolean | void | Promise<void>;
  /** Changes a reply. */
  readonly tell?: (reply: Reply, request: Request, sent: string) => void;
  /** What the smallest call looks like: its target and, in JSON, its body. */
  readonly smallest?: string | RegExp;
}

/** Lets a function change a reply, however it is sent. */
const intercept = (response: Response, change: (reply: Reply) => void): void => {
  const chunks: Buffer[] = [];
  const end = response.end.bind(response);
  const writeHead = response.writeHead.bind(response);
  const take = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const given: Record<string, string> = {};
  Object.assign(response, {
    writeHead: (status: number, ...rest: readonly unknown[]) => {
      response.statusCode = status;
      const fields = rest.find((one) => typeof one === "object");
      const pairs = Array.isArray(fields)
        ? Array.from({ length: fields.length / 2 }, (_, at) => [fields[2 * at], fields[2 * at + 1]])
        : Object.entries(fields ?? {});
      for (const [name, value] of pairs) given[String(name).toLowerCase()] = String(value);
      return response;
    },
    write: (chunk: unknown) => {
      take(chunk);
      return true;
    },
    end: (chunk: unknown) => {
      take(chunk);
      const own = Object.entries(response.getHeaders()).map(([name, value]) => [
        name,
        String(value),
      ]);
      const headers = { ...(Object.fromEntries(own) as Record<string, string>), ...given };
      const reply: Reply = {
        status: response.statusCode,
        headers,
        body: Buffer.concat(chunks).toString(),
      };
      change(reply);
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      delete reply.headers["content-length"];
      delete reply.headers["transfer-encoding"];
      writeHead(reply.status, reply.headers);
      return end(reply.body, reply.encoding ?? "utf8");
    },
  });
};

const toPattern = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`);

/** Returns the native middleware that lies. */
export const toMiddleware = ({ on, also = on, ask, tell }: Lie) => {
  const [method = "", path = ""] = also.split(" ");
  const pattern = toPattern(path);
  return (request: Request, response: Response, next: () => void): void => {
    const isMethod = method === "any" || request.method === method.toUpperCase();
    if (!isMethod || !pattern.test(request.path)) return next();
    let sent = "";
    if (tell) {
      const emit = request.emit.bind(request);
      // what the parser reads, a lie may know, too
      request.emit = (event: string | symbol, ...args: unknown[]) => {
        const [chunk] = args;
        if (event === "data" && chunk instanceof Uint8Array) sent += Buffer.from(chunk).toString();
        return emit(event, ...args);
      };
      intercept(response, (reply) => tell(reply, request, sent));
    }
    const asked = ask?.(request, response);
    const goOn = async (): Promise<void> => ((await asked) === true ? undefined : next());
    // what is not awaited is answered in the same turn
    if (asked instanceof Promise) void goOn();
    else if (asked !== true) next();
  };
};

type Data = Record<string, unknown>;
type Tell = NonNullable<Lie["tell"]>;

/** Changes the data of successful replies. */
export const tellData =
  (change: (data: Data, request: Request) => void): Tell =>
  (reply, request) => {
    if (reply.status >= 300) return;
    const body = JSON.parse(reply.body) as { readonly data: Data };
    change(body.data, request);
    reply.body = JSON.stringify(body);
  };

/** Changes a reply if the request contains a text, in its target or its body. */
export const when =
  (text: string | RegExp, change: Tell): Tell =>
  (reply, request, sent) => {
    const whole = `${request.originalUrl} ${sent}`;
    if (typeof text === "string" ? whole.includes(text) : text.test(whole))
      change(reply, request, sent);
  };

/** Sends an error in place of a reply. */
export const fail =
  (status: number): Tell =>
  (reply) => {
    reply.status = status;
    reply.headers["content-type"] = "application/json; charset=utf-8";
    reply.body = JSON.stringify({ status: "error", error: { message: "No" } });
  };

/** Answers what the framework has refused with a success. */
export const accept =
  (data: object, status = 200, refused = 400): Tell =>
  (reply) => {
    if (reply.status !== refused) return;
    reply.status = status;
    reply.headers["content-type"] = "application/json; charset=utf-8";
    reply.headers["x-total"] = "1";
    reply.headers["etag"] = '"1"';
    reply.body = JSON.stringify({ status: "success", data });
  };
