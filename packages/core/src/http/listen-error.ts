import { type Problem, StartError } from "../errors.ts";
import { codeOf } from "./parser-error.ts";

export function checkListenOptions(port: number, host: string): Problem[] {
  const problems: Problem[] = [];
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    problems.push({ code: "BAD_OPTION", message: `port is ${String(port)}. It takes a whole number from 0 to 65535.` });
  }
  if (typeof host !== "string" || host === "") {
    problems.push({
      code: "BAD_OPTION",
      message: 'host is empty. Use "127.0.0.1", "0.0.0.0" or a name of this machine.',
    });
  }
  return problems;
}

const unresolved = (_: number, host: string) =>
  `The host name ${host} cannot be resolved. Use 127.0.0.1 or 0.0.0.0, or a name of this machine.`;

const causes = new Map<string, (port: number, host: string) => string>([
  [
    "EADDRINUSE",
    (port, host) => `Port ${port} on ${host} is in use. Stop the program that has it, or listen on another port.`,
  ],
  ["EACCES", (port) => `Port ${port} needs rights that this process does not have. Use a port above 1023.`],
  ["EADDRNOTAVAIL", (_, host) => `${host} is not an address of this machine. Use 127.0.0.1 or 0.0.0.0.`],
  ["ENOTFOUND", unresolved],
  ["EAI_AGAIN", unresolved],
]);

/** Why the port did not open, in one line that names the cure. */
export function toListenError(error: unknown, port: number, host: string): StartError {
  if (error instanceof StartError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const message = causes.get(codeOf(error))?.(port, host) ?? `Cannot listen on ${host}:${port}: ${detail}`;
  return new StartError([{ code: "LISTEN_FAILED", message, cause: error }]);
}
