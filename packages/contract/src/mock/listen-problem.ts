import { ContractError } from "../errors.ts";

/** Returns what the command says if its mock cannot listen; other errors as they are. */
export const toListenProblem = (
  error: unknown,
  { port, host = "127.0.0.1" }: { readonly port: number; readonly host: string | undefined },
): unknown => {
  switch ((Object(error) as { readonly code?: unknown }).code) {
    case "EADDRINUSE":
      return new ContractError(
        `Port ${port} is in use: stop the process that uses it, or choose another port with --port.`,
      );
    case "EACCES":
      return new ContractError(
        `Port ${port} needs permissions that this process does not have: choose one above 1023 with --port.`,
      );
    case "EADDRNOTAVAIL":
    case "EAI_AGAIN":
    case "ENOTFOUND":
      return new ContractError(
        `This machine does not have the address ${host}: choose another one with --host, such as 127.0.0.1 or 0.0.0.0.`,
      );
    default:
      return error;
  }
};
