import { Agent, request as httpRequest } from "node:http";
import { EventStreamFactory } from "sallyport";
import { createChannel } from "sallyport/channel";
import { createClient } from "sallyport/client";
import { z } from "zod";

/** What a request has come to: the status, or the code of an error. */
type Outcome = number | string;

/** When a connection has carried its last response. */
const lastUses = new WeakMap<object, number>();

const ask = (
  port: number,
  agent: Agent,
  body: string | undefined,
): Promise<{ readonly outcome: Outcome; readonly text: string }> =>
  new Promise((resolve) => {
    const begin = performance.now();
    const fail = ({ code, message }: NodeJS.ErrnoException): void => {
      const idle = request.socket && begin - (lastUses.get(request.socket) ?? Infinity);
      const connection = request.reusedSocket
        ? `connection idle for ${idle?.toFixed(0)} ms`
        : "new connection";
      resolve({
        outcome: `${code ?? message} on a ${connection}, ${(performance.now() - begin).toFixed(0)} ms`,
        text: "",
      });
    };
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const [method, path] = body === undefined ? ["GET", "/who"] : ["POST", "/numbers"];
    const request = httpRequest({ host: "127.0.0.1", port, path, method, agent, headers });
    request.on("response", (response) => {
      const { socket } = response;
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("error", fail);
      response.on("end", () => {
        lastUses.set(socket, performance.now());
        resolve({ outcome: response.statusCode ?? 0, text });
      });
    });
    request.on("error", fail).end(body);
  });

/** Sends requests from clients that keep their connections and from some that do not; a part publishes events. */
export class Load {
  readonly #port: number;
  readonly #publishes: boolean;
  readonly #agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false })];
  readonly #clients: readonly Promise<void>[];
  #isOver = false;
  total = 0;
  /** How often each outcome other than 200 has come. */
  readonly failures = new Map<Outcome, number>();
  /** The ids of the published events. */
  readonly published = new Set<string>();

  constructor(port: number, { publishes = true } = {}) {
    this.#port = port;
    this.#publishes = publishes;
    this.#clients = Array.from({ length: 20 }, (_, index) => this.#run(index));
  }

  async #run(index: number): Promise<void> {
    const agent = this.#agents[index % 5 === 0 ? 1 : 0] as Agent;
    while (!this.#isOver) {
      const number = this.total++;
      const isEvent = this.#publishes && number % 20 === 0;
      const body = isEvent ? JSON.stringify({ number }) : undefined;
      const { outcome, text } = await ask(this.#port, agent, body);
      if (outcome !== 200) this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + 1);
      else if (isEvent) this.published.add((JSON.parse(text) as { data: { id: string } }).data.id);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    for (const agent of this.#agents) agent.destroy();
  }
}

const counted = z.object({ number: z.number() });
const routing = {
  "get /numbers": new EventStreamFactory({}).build({
    channel: createChannel({ events: { counted } }),
  }),
};

/** A client that follows the channel, and resumes when the server ends its stream. */
export class Follower {
  readonly #aborter = new AbortController();
  readonly #followed: Promise<void>;
  /** How many streams it has opened, and how many of them the server has ended as a stream ends. */
  opened = 0;
  ended = 0;
  readonly ids: string[] = [];
  readonly others: unknown[] = [];

  constructor(port: number) {
    this.#followed = this.#follow(port);
  }

  async #follow(port: number): Promise<void> {
    const client = createClient<typeof routing>({
      baseUrl: `http://127.0.0.1:${port}`,
      fetch: async (...sent) => {
        const response = await fetch(...sent);
        if (!response.body) return response;
        this.opened++;
        const noted = response.body.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({ flush: () => void this.ended++ }),
        );
        return new Response(noted, response);
      },
    });
    const options = { signal: this.#aborter.signal, delay: 10 };
    for await (const { event, id } of client.subscribe("get /numbers", {}, options))
      if (event === "counted" && id !== undefined) this.ids.push(id);
      else this.others.push(event);
  }

  async leave(): Promise<void> {
    this.#aborter.abort();
    await this.#followed;
  }
}
