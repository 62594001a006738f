import { UndeclaredBody, UndeclaredStatus } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import type { ContentType, Operation } from "./operation.ts";

export async function readBody(operation: Operation, response: Response): Promise<unknown> {
  const { status } = response;
  const name = operation.path.join(".");
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const types = operation.responses === undefined ? guessTypes(type) : findTypes(operation.responses, status);
  if (types === undefined) throw new UndeclaredStatus(name, status, await response.text());
  if (operation.method === "HEAD" || status === 204 || status === 205 || status === 304) return undefined;
  if (types.length === 0) {
    await response.body?.cancel(); // an unread body would keep its connection
    return undefined;
  }
  const kind = (types.find((declared) => isDeclared(declared, type)) ?? (type === "" ? types[0] : undefined))?.[1];
  if (kind === "events") return readEvents(response.body ?? new Blob([]).stream());
  if (kind === "stream") return response.body ?? new Blob([]).stream();
  if (kind === "blob") return response.blob();
  const text = await response.text();
  if (kind === "text") return text;
  try {
    if (kind === "json") return JSON.parse(text);
  } catch {} // the same as a body of another type
  throw new UndeclaredBody(name, status, type, text);
}

function findTypes(responses: NonNullable<Operation["responses"]>, status: number): readonly ContentType[] | undefined {
  if (status === 0) return undefined; // a redirect that a browser hides: "default" does not mean it
  for (const key of [`${status}`, `${Math.floor(status / 100)}XX`, "default"]) {
    const found = responses.find(([declared]) => declared === key);
    if (found !== undefined) return found[1];
  }
  return undefined;
}

export function isDeclared([declared, kind]: ContentType, type: string): boolean {
  if (declared === type || declared === "*/*") return true;
  return declared.endsWith("/*") ? type.startsWith(declared.slice(0, -1)) : kind === "json" && type.endsWith("json");
}

/** For an operation that declares no responses. */
function guessTypes(type: string): readonly ContentType[] {
  if (type.endsWith("json")) return [[type, "json"]];
  if (type === "text/event-stream") return [[type, "events"]];
  return [[type, type.startsWith("text/") || type === "" ? "text" : "stream"]];
}
