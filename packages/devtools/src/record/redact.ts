import { isForm, isSecretInput, redacted, SafePaths } from "@tenon/core/internal";
import { Redactor } from "@tenon/core/platform";
import type { RecordedBody } from "./recorded.ts";
import { isSecretParameter, redactQuery } from "./redact-query.ts";

const redactor = new Redactor();
const isSecretName = (name: string) => redactor.isSecret(name);
const paths = new SafePaths();

/** Bytes of a body that are kept. */
const largestBody = 64 * 1024;

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

/** By the names of its values, at any depth. */
export function redactSession(values: object): Record<string, unknown> {
  return redactor.redact(values);
}

/** Headers whose value is an address of the application lose the secret parameters of its path. */
export function redactAddresses(headers: Readonly<Record<string, string>>, routes: readonly string[]) {
  const clean = { ...headers };
  for (const name of ["referer", "location", "content-location", "hx-current-url"]) {
    if (clean[name] === undefined) continue;
    clean[name] = clean[name].replace(
      /^([a-z]+:\/\/[^/?#]*)?([^?#]*)/i,
      (_, origin: string | undefined, path: string) => `${origin ?? ""}${paths.redact(path, undefined, routes)}`,
    );
  }
  return clean;
}

type IsSecret = (name: string) => boolean;

/** The body of a request: `code` is that of a second factor there, and the code of an error in a response. */
export function toRequestBody(type: string, bytes: Uint8Array): RecordedBody {
  return toRecordedBody(type, bytes, isSecretInput);
}

/** Fields with a secret name are replaced. What cannot be parsed cannot be redacted, and is not kept. */
export function toRecordedBody(type: string, bytes: Uint8Array, isSecret: IsSecret = isSecretName): RecordedBody {
  const size = bytes.length;
  if (size === 0 || size > largestBody) return { type, size };
  try {
    const text = toText(type, bytes, isSecret);
    return text === undefined ? { type, size } : { type, size, text, isRedacted: text.includes(redacted) };
  } catch {
    return { type, size };
  }
}

/** HTML and XML are not kept: what is a secret in them cannot be told without a parser. */
function toText(type: string, bytes: Uint8Array, isSecret: IsSecret): string | undefined {
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return redactJson(decodeText(bytes), isSecret);
  if (isForm(type)) return /^\s*multipart\b/i.test(type) ? undefined : redactForm(decodeText(bytes), isSecret);
  if (!/^(?:text\/|application\/javascript\b)/i.test(type) || /\b(?:html|xml)\b/i.test(type)) return undefined;
  const text = decodeText(bytes);
  if (isJson(text)) return redactJson(text, isSecret); // such as the default type of fetch
  return /^\s*</.test(text) ? undefined : redactQuery(text);
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function redactJson(text: string, isSecret: IsSecret): string {
  /** An empty value, a truth value and a missing one tell nothing. */
  const isHidden = (name: string, value: unknown) =>
    value !== "" && value !== null && typeof value !== "boolean" && isSecret(name);
  return JSON.stringify(
    JSON.parse(text, (name, value: unknown) => (isHidden(name, value) ? redacted : redactValue(value, isHidden))),
  );
}

/** Names that are values themselves: `["Authorization", "…"]` and `{ "name": "password", "value": "…" }`. */
function redactValue(value: unknown, isHidden: (name: string, value: unknown) => boolean): unknown {
  if (typeof value === "string") return redactQuery(value); // a link, or the URI of a second factor
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

function redactForm(text: string, isSecret: IsSecret): string {
  if (isJson(text)) return redactJson(text, isSecret); // sent with the default type of curl
  return text
    .split("&")
    .map((pair) => {
      const [name = ""] = pair.split("=", 1);
      const hasValue = pair.length > name.length + 1;
      return hasValue && isSecretParameter(name) ? `${name}=${redacted}` : pair;
    })
    .join("&");
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
