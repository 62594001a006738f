import type { Recorded } from "../record/recorded.ts";

/** Headers that curl sets itself. */
const left = new Set(["host", "connection", "content-length", "accept-encoding", "transfer-encoding", "user-agent"]);

/** The request as a command for a POSIX shell. Redacted values have to be filled in. */
export function toCurl({ method, target, request }: Recorded, origin: string): string {
  const headers = Object.entries(request?.headers ?? {}).filter(
    ([name]) => !left.has(name) && !name.startsWith("sec-"),
  );
  const body = request?.body?.text;
  const parts = [
    // curl takes brackets and braces in an address for ranges
    `curl ${/[[\]{}]/.test(target) ? "-g " : ""}${method === "GET" ? "" : `-X ${method} `}${quote(`${origin}${target}`)}`,
    ...headers.map(([name, value]) => `-H ${quote(value === "" ? `${name};` : `${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
