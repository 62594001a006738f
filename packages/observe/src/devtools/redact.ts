import { isForm, isSecretName, Redactor } from "@tenon/core/platform";
import type { RecordedBody } from "./recorded.ts";

export const redacted = "[redacted]";
/** Bytes of a body that are kept. */
export const largestBody = 64 * 1024;

/** Headers as they are kept, several values of one joined. Of cookies only the names are. */
export function redactHeaders(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      [value]
        .flat()
        .map((one) => redactHeader(name, one))
        .join(", "),
    ]),
  );
}

function redactHeader(name: string, value: string): string {
  if (name === "cookie") return value.split(";").map(redactCookie).join(";");
  if (name === "set-cookie") {
    const [pair = "", ...attributes] = value.split(";");
    return [redactCookie(pair), ...attributes].join(";");
  }
  return isSecretName(name) ? redacted : redactQuery(value); // several hold URLs: Referer, Location, Link, HX-Current-URL
}

/** One without a name is a value alone. */
function redactCookie(pair: string): string {
  const [, name] = /^([^=]*=)/.exec(pair) ?? [];
  if (name !== undefined) return name + redacted;
  return pair.trim() === "" ? pair : `${/^\s*/.exec(pair)?.[0] ?? ""}${redacted}`;
}

const redactor = new Redactor();

/** By the names of its values, at any depth. */
export function redactSession(values: object): Record<string, unknown> {
  return redactor.redact(values);
}

/** A path with its query, a URL, or text with some: the values of secret parameters are replaced. */
export function redactQuery(target: string): string {
  const kept: string[] = [];
  let [lead, isHidden] = ["", false];
  for (const [index, piece] of target.split(/([?&#;\s"'<>])/).entries()) {
    if (index % 2 === 1) {
      // a semicolon begins a parameter in a header, but does not end the value of one in a query
      isHidden &&= piece === ";" || piece === "?";
      if (/\S/.test(piece)) lead = piece;
    } else if (!isHidden && piece !== "") {
      const [name = ""] = piece.split("=", 1);
      isHidden = /^[?&#;]/.test(lead) && name.length < piece.length && isSecretName(decode(name));
      kept.push(isHidden ? `${name}=${redacted}` : piece);
      lead = "";
      continue;
    }
    if (!isHidden) kept.push(piece);
  }
  return kept.join("");
}

/** The values of path parameters with a secret name, such as `/reset/:token`. */
export function redactPath(path: string, route: string | undefined): string {
  const names = segmentsOf(route ?? "");
  let place = 0;
  return path
    .split("/")
    .map((segment) => (segment !== "" && isSecretParameter(names[place++] ?? "") ? redacted : segment))
    .join("/");
}

/** The route with a secret parameter that a path begins like: one with another method, for example, is a miss. */
export function findSecretRoute(path: string, routes: readonly string[]): string | undefined {
  const segments = segmentsOf(path).map((segment) => decode(segment).toLowerCase());
  return routes.find((route) => {
    const names = segmentsOf(route);
    if (!names.some(isSecretParameter) || names.length > segments.length) return false;
    return names.every((name, index) => name.startsWith(":") || name.toLowerCase() === segments[index]);
  });
}

/** Headers whose value is an address of the application lose the secret parameters of its path. */
export function redactAddresses(headers: Readonly<Record<string, string>>, routes: readonly string[]) {
  const clean = { ...headers };
  for (const name of ["referer", "location", "content-location", "hx-current-url"]) {
    if (clean[name] === undefined) continue;
    clean[name] = clean[name].replace(
      /^([a-z]+:\/\/[^/?#]*)?([^?#]*)/i,
      (_, origin: string | undefined, path: string) =>
        `${origin ?? ""}${redactPath(path, findSecretRoute(path, routes))}`,
    );
  }
  return clean;
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function isSecretParameter(name: string): boolean {
  return name.startsWith(":") && isSecretName(name);
}

/** Fields with a secret name are replaced. What cannot be parsed cannot be redacted, and is not kept. */
export function toRecordedBody(type: string, bytes: Uint8Array): RecordedBody {
  const size = bytes.length;
  if (size === 0 || size > largestBody) return { type, size };
  try {
    const text = toText(type, bytes);
    return text === undefined ? { type, size } : { type, size, text, isRedacted: text.includes(redacted) };
  } catch {
    return { type, size };
  }
}

function toText(type: string, bytes: Uint8Array): string | undefined {
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return redactJson(decodeText(bytes));
  if (isForm(type)) return /^\s*multipart\b/i.test(type) ? undefined : redactForm(decodeText(bytes));
  if (/^text\/html\b/i.test(type)) return redactHtml(decodeText(bytes));
  return /^text\/|^application\/(?:xml|javascript)\b|\+xml\b/i.test(type) ? redactText(decodeText(bytes)) : undefined;
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function redactJson(text: string): string {
  return JSON.stringify(
    JSON.parse(text, (name, value: unknown) => (isHidden(name, value) ? redacted : redactPairs(value))),
  );
}

/** Names that are values themselves: `["Authorization", "…"]` and `{ "name": "password", "value": "…" }`. */
function redactPairs(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const before: unknown = value[index - 1];
      return typeof item === "string" && typeof before === "string" && isHidden(before, item) ? redacted : item;
    });
  }
  const { name, key = name } = value as Readonly<Record<string, unknown>>; // an object, checked above
  if (!("value" in value) || typeof key !== "string" || !isHidden(key, value.value)) return value;
  return { ...value, value: redacted };
}

/** An empty value, a truth value and a missing one tell nothing. */
function isHidden(name: string, value: unknown): boolean {
  return value !== "" && value !== null && typeof value !== "boolean" && isSecretName(name);
}

function redactForm(text: string): string {
  if (isJson(text)) return redactJson(text); // sent with the default type of curl
  return text
    .split("&")
    .map((pair) => {
      const [name = ""] = pair.split("=", 1);
      const hasValue = pair.length > name.length + 1;
      return hasValue && isSecretName(decode(name)) ? `${name}=${redacted}` : pair;
    })
    .join("&");
}

/** JSON of another type, such as the default one of `fetch`; the elements of XML; and the queries of URLs. */
function redactText(text: string): string {
  if (isJson(text)) return redactJson(text);
  const clean = text.replaceAll(/<([\w:.-]+)(\s[^<>]*)?>([^<>]+)(?=<\/)/g, (element, name: string, attributes = "") =>
    isSecretName(name) ? `<${name}${attributes}>${redacted}` : element,
  );
  return redactQuery(clean);
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && isParsed(text);
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The values of forms and of meta elements, and the queries of links. */
function redactHtml(text: string): string {
  const clean = text.replaceAll(
    /<(?:input|button|meta)\b(?:"[^"]{0,4000}"|'[^']{0,4000}'|[^'"<>]){0,4000}>/gi,
    (tag) => {
      const [, quoted = ""] = /\bname\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/i.exec(tag) ?? [];
      if (!isSecretName(quoted)) return tag;
      return tag.replace(/\b(value|content)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/i, `$1="${redacted}"`);
    },
  );
  return redactQuery(clean);
}

/** As the parser of forms does: a name that is not well-formed is decoded as far as it can be. */
function decode(name: string): string {
  const [decoded = ""] = new URLSearchParams(`${name}=`).keys();
  return decoded;
}
