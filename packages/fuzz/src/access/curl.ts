import { isJson, toTarget } from "../fuzzed-request.ts";
import type { Actor } from "./actors.ts";
import type { FuzzedObject, Step } from "./step.ts";
import { userKind } from "./world.ts";

/** Names shell variables, so that the lines can be run again: `$ALICE_NOTE` is an id, `$ALICE` a header. */
export class CurlWriter {
  readonly #names = new Map<FuzzedObject, string>();

  /** The requests that create the objects, then the steps. */
  async write(steps: readonly Step[], objects: readonly FuzzedObject[]): Promise<string[]> {
    const used = [...objects, ...steps.flatMap(({ uses }) => uses)];
    const lines: string[] = [];
    for (const object of new Set(used)) lines.push(...(await this.#create(object)));
    for (const step of steps) lines.push(`${await this.#line(step)}  # ${step.actor.name}: ${step.seen.status}`);
    return lines;
  }

  async #create(object: FuzzedObject): Promise<string[]> {
    if (this.#names.has(object)) return [];
    const { created, deletion, idPath, owner } = object;
    const lines: string[] = [];
    for (const parent of created?.uses ?? []) lines.push(...(await this.#create(parent)));
    this.#names.set(object, this.#toName(object));
    if (created === undefined) return lines;
    const line = await this.#line(created, idPath === "location" ? "-i " : "");
    const read = idPath === "location" ? "sed -n 's/^location: .*\\///ip'" : `jq -r ${idPath}`;
    lines.push(`${this.#names.get(object)}=$(${line} | ${read})`);
    if (deletion !== undefined) lines.push(`${await this.#line(deletion)}  # ${owner.name}: ${deletion.seen.status}`);
    return lines;
  }

  #toName({ kind, owner }: FuzzedObject): string {
    const name = toVariable(kind === userKind ? `${owner.name}_id` : `${owner.name}_${kind}`);
    const count = [...this.#names.values()].filter((one) => one.replace(/\d+$/, "") === name).length;
    return count === 0 ? name : `${name}${count + 1}`;
  }

  async #line({ actor, operation, request }: Step, flags = ""): Promise<string> {
    const { method, body: declared, live } = operation;
    const start = method === "GET" ? "" : method === "HEAD" ? "-I " : `-X ${method} `;
    const target = this.#withNames(toTarget(operation, request), (name) => `$${name}`);
    const headers = await toHeaders(actor, operation);
    const parts = [`curl -s ${flags}${live === undefined ? "" : "-N "}${start}"$URL${target}"`, ...headers];
    const { body } = request;
    if (declared === undefined || body === undefined) return parts.join(" ");
    const isForm = !isJson(declared.type) && typeof body === "object";
    const text = isForm ? String(new URLSearchParams(body as Record<string, string>)) : toText(body); // texts, as forms have them
    if (!declared.type.startsWith("multipart/")) parts.push(`-H 'content-type: ${declared.type}'`);
    const quoted = this.#withNames(text.replaceAll("'", "'\\''"), (name) => `'"$${name}"'`);
    return [...parts, `-d '${quoted}'`].join(" ");
  }

  #withNames(text: string, write: (name: string) => string): string {
    const named = [...this.#names].toSorted(([a], [b]) => String(b.id).length - String(a.id).length);
    return named.reduce((all, [{ id }, name]) => {
      const whole = new RegExp(`(?<![\\w$])${RegExp.escape(String(id))}(?!\\w)`, "g"); // a short id is a part of others
      return all.replaceAll(whole, () => write(name));
    }, text);
  }
}

function toText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function toVariable(name: string): string {
  return name.toUpperCase().replaceAll(/\W+/g, "_");
}

/** One variable for a single header, else one for each: credentials are not printed. */
async function toHeaders(actor: Actor, operation: Step["operation"]): Promise<string[]> {
  const names = Object.keys(await actor.headersFor(operation));
  if (names.length === 1) return [`-H "$${toVariable(actor.name)}"`];
  return names.map((name) => `-H "$${toVariable(`${actor.name}_${name}`)}"`);
}
