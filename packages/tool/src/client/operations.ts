import { HttpError } from "@tenon/core";
import { capitalize } from "../names.ts";
import { follow, get, getEntries, getList, getText, isObject, type JsonObject } from "./document.ts";
import { type JsonField, toJsonFields } from "./form-fields.ts";
import type { Comment } from "./identifiers.ts";
import { isBinary } from "./schema-types.ts";

/** An operation of a document, as a client calls it. */
export interface Operation {
  /** `posts.show` is `["posts", "show"]`. */
  readonly words: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly comment: Comment;
  readonly parameters: readonly Parameter[];
  /** Names of different kinds are the same, so that one object cannot hold them all. */
  readonly isNested: boolean;
  readonly body: Body | undefined;
  /** By status, such as "200", "4XX" or "default". Undefined when none is declared. */
  readonly responses: readonly DeclaredResponse[] | undefined;
  readonly security: readonly (readonly string[])[];
  /** The messages of an event stream or a WebSocket, by the extension `x-tenon-live`. */
  readonly live: LiveMessages | undefined;
}

export interface LiveMessages {
  readonly kind: "events" | "socket";
  /** Schemas by name: what the client gets. */
  readonly sends: readonly (readonly [name: string, schema: unknown])[];
  /** What the client sends. */
  readonly receives: readonly (readonly [name: string, schema: unknown])[];
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly comment: Comment;
  readonly style: "comma" | "space" | "pipe" | "deep" | "json" | "segments" | undefined;
}

export interface Body extends Content {
  readonly kind: "json" | "multipart" | "form" | "raw";
  /** All types that a body of this kind may have. */
  readonly types: readonly string[];
  /** The fields of a form that are sent as JSON. */
  readonly jsonFields: readonly JsonField[];
  readonly isRequired: boolean;
  readonly comment: Comment;
}

export interface DeclaredResponse {
  readonly status: string;
  readonly contents: readonly (Content & { readonly kind: "json" | "text" | "events" | "blob" | "stream" })[];
}

interface Content {
  readonly type: string;
  readonly schema: unknown;
}

/** Without trace, which fetch refuses. */
const methods = ["get", "put", "post", "delete", "options", "head", "patch"];
/** OpenAPI says that parameters of these names are ignored: other parts of the document declare them. */
const ownHeaders = ["accept", "content-type", "authorization"];
const styles = { spaceDelimited: "space", pipeDelimited: "pipe", deepObject: "deep" } as const;

/** Throws for names that exclude each other. */
export function readOperations(document: JsonObject): Operation[] {
  const operations = getEntries(document, "paths").flatMap(([path, reference]) => {
    const item = follow(document, reference);
    const declared = methods.filter((method) => isObject(get(item, method)));
    return declared.map((method) => readOperation(document, path, method, item));
  });
  checkNames(operations);
  return operations;
}

function readOperation(document: JsonObject, path: string, method: string, item: unknown): Operation {
  const operation = get(item, method);
  const declared = [...getList(item, "parameters"), ...getList(operation, "parameters")];
  const parameters = readParameters(document, [...toPathParameters(path), ...declared]);
  const body = method === "get" || method === "head" ? undefined : readBody(document, get(operation, "requestBody"));
  const names = [...parameters.map(({ name }) => name), ...(body === undefined ? [] : ["body"])];
  return {
    words: toWords(getText(operation, "operationId"), method, path),
    method: method.toUpperCase(),
    path,
    comment: toComment(operation, getText(operation, "summary")),
    parameters,
    isNested: new Set(names).size < names.length,
    body,
    responses: readResponses(document, operation),
    security: readSecurity(document, operation),
    live: readLive(operation),
  };
}

function readLive(operation: unknown): LiveMessages | undefined {
  const live = get(operation, "x-tenon-live");
  const kind = getText(live, "kind");
  if (kind !== "events" && kind !== "socket") return undefined;
  return { kind, sends: getEntries(live, "sends"), receives: getEntries(live, "receives") };
}

function toWords(id: string | undefined, method: string, path: string): string[] {
  const words = (id ?? "").split(".").filter((word) => word !== "");
  if (words.at(-1) === "then") return [...words.slice(0, -1), "then_"]; // await would call it
  if (words.length > 0) return words;
  return [[method, ...path.split(/[^\p{L}\p{N}]+/u).map(capitalize)].join("")];
}

function toComment(value: unknown, summary?: string): Comment {
  return { texts: [summary, getText(value, "description")], isDeprecated: get(value, "deprecated") === true };
}

/** The parameters of a path that nothing declares. */
function toPathParameters(path: string): object[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => ({ name, in: "path", schema: { type: "string" } }));
}

/** An operation's own parameter replaces that of its path. */
function readParameters(document: JsonObject, references: readonly unknown[]): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const reference of references) {
    const parameter = follow(document, reference);
    const name = getText(parameter, "name") ?? "";
    const place = getText(parameter, "in");
    if (place !== "path" && place !== "query" && place !== "header") continue; // the browser sends cookies
    if (place === "header" && ownHeaders.includes(name.toLowerCase())) continue;
    const [content] = getEntries(parameter, "content");
    found.set(`${place} ${name}`, {
      name,
      in: place,
      isRequired: place === "path" || get(parameter, "required") === true,
      schema: content === undefined ? get(parameter, "schema") : get(content[1], "schema"),
      comment: toComment(parameter),
      style: content === undefined ? toStyle(parameter, name) : "json",
    });
  }
  return [...found.values()];
}

function toStyle(parameter: unknown, name: string): Parameter["style"] {
  const style = getText(parameter, "style");
  if (getText(parameter, "in") === "path") {
    const isRest = ["x-tenon-rest", "allowReserved"].some((mark) => get(parameter, mark) === true);
    return name === "*" || isRest ? "segments" : undefined;
  }
  if (isStyle(style)) return styles[style];
  return get(parameter, "explode") === false ? "comma" : undefined;
}

function isStyle(style: string | undefined): style is keyof typeof styles {
  return style !== undefined && Object.hasOwn(styles, style);
}

const bodyKinds = ["json", "multipart", "form", "raw"] as const;

/** A body that may have several types is sent as the first of JSON, multipart and form. */
function readBody(document: JsonObject, reference: unknown): Body | undefined {
  const body = follow(document, reference);
  const contents = getEntries(body, "content").map(([type, media]) => ({ type, schema: get(media, "schema") }));
  for (const kind of bodyKinds) {
    const ofKind = contents.filter(({ type }) => toBodyKind(type) === kind);
    const [content] = ofKind;
    if (content === undefined) continue;
    const types = ofKind.map(({ type }) => toMediaType(type));
    const jsonFields = kind === "multipart" || kind === "form" ? toJsonFields(document, content.schema) : [];
    const isRequired = get(body, "required") === true;
    return { ...content, kind, types, jsonFields, isRequired, comment: toComment(body) };
  }
  return undefined;
}

function toBodyKind(type: string): Body["kind"] {
  if (isJson(type)) return "json";
  if (type.startsWith("multipart/")) return "multipart";
  return type.startsWith("application/x-www-form-urlencoded") ? "form" : "raw";
}

function readResponses(document: JsonObject, operation: unknown): DeclaredResponse[] | undefined {
  const declared = getEntries(operation, "responses").map(([status, reference]): DeclaredResponse => {
    const contents = getEntries(follow(document, reference), "content");
    return {
      status: status.toUpperCase() === "DEFAULT" ? "default" : status.toUpperCase(),
      contents: contents.map(([type, media]) => {
        const schema = get(media, "schema");
        return { type: toMediaType(type), schema, kind: toResponseKind(toMediaType(type), schema) };
      }),
    };
  });
  const known = declared.filter(({ status }) => /^(?:[1-5]\d\d|[1-5]XX|default)$/.test(status));
  // a default without a body is what a document says when nothing is known
  return known.every(({ status, contents }) => status === "default" && contents.length === 0) ? undefined : known;
}

function toMediaType(type: string): string {
  return (type.split(";")[0] ?? "").trim().toLowerCase();
}

function toResponseKind(type: string, schema: unknown): DeclaredResponse["contents"][number]["kind"] {
  if (type === "text/event-stream") return "events";
  if (isJson(type)) return "json";
  if (isBinary(schema)) return "blob";
  return type.startsWith("text/") ? "text" : "stream";
}

function isJson(type: string): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/i.test(type);
}

function readSecurity(document: JsonObject, operation: unknown): string[][] {
  const declared = get(operation, "security") ?? get(document, "security");
  return (Array.isArray(declared) ? declared : []).map((alternative) => getEntries(alternative).map(([name]) => name));
}

function checkNames(operations: readonly Operation[]): void {
  const seen = new Map<string, Operation>();
  const groups = new Map<string, Operation>();
  for (const operation of operations) {
    const id = operation.words.join(".");
    const same = seen.get(id);
    if (same !== undefined) {
      throw new HttpError(
        400,
        `${describe(same)} and ${describe(operation)} have the same operation id ${id}: rename one`,
      );
    }
    seen.set(id, operation);
    for (let length = 1; length < operation.words.length; length++) {
      groups.set(operation.words.slice(0, length).join("."), operation);
    }
  }
  for (const [id, operation] of seen) {
    const inner = groups.get(id);
    if (inner === undefined) continue;
    const other = `${inner.words.join(".")} (${describe(inner)})`;
    throw new HttpError(400, `the operation ${id} (${describe(operation)}) is also the group of ${other}: rename one`);
  }
}

function describe({ method, path }: Operation): string {
  return `${method} ${path}`;
}
