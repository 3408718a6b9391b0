import { application } from "./mount-api.ts";
import { environment } from "./environment.ts";

const server = application.listen(environment.PORT, (error) => {
  if (error) throw error;
  console.log(`Listening on port ${environment.PORT}`);
});

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    // running requests may finish
    server.close();
    setTimeout(() => server.closeAllConnections(), 15_000).unref();
  });
