import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a port that is free, and is still free when it is used a moment later.
 * Operating systems give out ports from 32,768 (Linux) or 49,152; tests that run beside this one get those.
 */
export const findFreePort = async (): Promise<number> => {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  const server = createServer().listen(port);
  const isFree = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (!isFree) return findFreePort();
  await once(server.close(), "close");
  return port;
};
