import { type FuzzedRequest, isJson, toFormFields, toTarget } from "../fuzzed-request.ts";
import type { DeclaredBody } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { findValues, isObject } from "./ids.ts";
import { around, type FuzzedObject, type Step } from "./step.ts";

/** Names shell variables, so that the lines can be run again: `$ALICE_NOTE` is an id, `$ALICE` a header. */
export class CurlWriter {
  readonly #names = new Map<FuzzedObject, string>();
  /** The texts and numbers of the requests. */
  #sent: ReadonlySet<string> = new Set();

  /** The requests that create the objects, then the steps. */
  async write(steps: readonly Step[], objects: readonly FuzzedObject[]): Promise<string[]> {
    const used = [...objects, ...steps.flatMap(({ uses }) => uses)];
    const all = used.flatMap((object) => [object, ...around(object)]).flatMap(({ created }) => created ?? []);
    const requests = [...all, ...steps].map(({ request: { params, query, body } }) => [params, query, body]);
    this.#sent = new Set(requests.flatMap((one) => [...findValues(one).values()].map(String)));
    const lines: string[] = [];
    for (const object of new Set(used)) lines.push(...(await this.#create(object)));
    for (const step of steps) lines.push(`${await this.#line(step)}  # ${step.actor.name}: ${step.seen.status}`);
    return lines;
  }

  async #create(object: FuzzedObject): Promise<string[]> {
    if (this.#names.has(object)) return [];
    const { created, deletion, owner } = object;
    const [idPath] = this.#idOf(object);
    const lines: string[] = [];
    for (const parent of created?.uses ?? []) lines.push(...(await this.#create(parent)));
    const name = this.#toName(object);
    this.#names.set(object, name);
    if (created === undefined) return lines;
    const line = await this.#line(created, idPath === "location" ? "-i " : "");
    // the header ends with a carriage return, which would be a part of the id
    const read = idPath === "location" ? "tr -d '\\r' | sed -n 's/^location: .*\\///ip'" : `jq -r ${idPath}`;
    lines.push(`${name}=$(${line} | ${read})`);
    if (deletion !== undefined) lines.push(`${await this.#line(deletion)}  # ${owner.name}: ${deletion.seen.status}`);
    return lines;
  }

  /** The field that the requests name it by: its id, or another one such as a slug. */
  #idOf({ id, idPath, values, created }: FuzzedObject): readonly [path: string, value: string | number] {
    const isSent = ([, value]: readonly [string, string | number]) => this.#sent.has(String(value));
    const all = created === undefined ? [] : [[idPath, id] as const, ...values];
    return all.find(isSent) ?? [idPath, id];
  }

  #toName({ name: noun, owner }: FuzzedObject): string {
    const name = toVariable(`${owner.name}_${noun}`);
    const count = [...this.#names.values()].filter((one) => one.replace(/\d+$/, "") === name).length;
    return count === 0 ? name : `${name}${count + 1}`;
  }

  async #line({ actor, operation, request, uses }: Step, flags = ""): Promise<string> {
    const { method, body: declared, live } = operation;
    const start = method === "GET" ? "" : method === "HEAD" ? "-I " : `-X ${method} `;
    const names = new Map(uses.map((object) => [String(this.#idOf(object)[1]), this.#names.get(object) ?? ""]));
    const marked = markIds(request, names) as FuzzedRequest; // the same, with other values
    const target = writeIds(toTarget(operation, marked), names, (name) => `$${name}`);
    const headers = await toHeaders(actor, operation);
    const parts = [`curl -s ${flags}${live === undefined ? "" : "-N "}${start}"$URL${target}"`, ...headers];
    if (declared === undefined || request.body === undefined) return parts.join(" ");
    const quote = (text: string) => `'${writeIds(text.replaceAll("'", "'\\''"), names, (name) => `'"$${name}"'`)}'`;
    return [...parts, ...toBody(declared, marked.body, quote)].join(" ");
  }
}

function toBody(declared: DeclaredBody, body: unknown, quote: (text: string) => string): string[] {
  const { type } = declared;
  const isForm = !isJson(type) && typeof body === "object";
  const fields = isForm ? toFormFields(declared, body) : [];
  if (type.startsWith("multipart/")) {
    return fields.map(({ name, text, file }) =>
      file === undefined
        ? `--form-string ${quote(`${name}=${text}`)}` // -F would take "@" and ";" for its own
        : `-F ${quote(`${name}=@`)}<(printf %s ${quote(text)})${quote(`;filename=${file.name}${file.type && `;type=${file.type}`}`)}`,
    );
  }
  const form = String(new URLSearchParams(fields.map((one) => [one.name, one.text])));
  const text = isForm ? form : typeof body === "string" ? body : JSON.stringify(body);
  return [`-H 'content-type: ${type}'`, `-d ${quote(text)}`];
}

/** Puts marks that no encoding changes where a value is an id: the same text may be a key, or a part of another. */
function markIds(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => markIds(item, names));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, markIds(item, names)]));
  const name = names.get(String(value));
  if (name === undefined) return value;
  return typeof value === "number" ? `__${name}__N` : `__${name}__T`;
}

function writeIds(text: string, names: ReadonlyMap<string, string>, write: (name: string) => string): string {
  return [...names.values()].reduce(
    (all, name) => all.replaceAll(new RegExp(`"__${name}__N"|__${name}__[NT]`, "g"), () => write(name)), // numbers in JSON have no quotes
    text,
  );
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
