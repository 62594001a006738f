import { isForm, isSecretName, Redactor } from "@tenon/core/platform";
import type { RecordedBody } from "./recorded.ts";

export const redacted = "[redacted]";
/** Bytes of a body that are kept. */
export const largestBody = 64 * 1024;

/** Headers as they are kept. Of cookies only the names are. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redactHeader(name, value)]));
}

function redactHeader(name: string, value: string): string {
  if (name === "cookie") return value.replaceAll(/=[^;]*/g, `=${redacted}`);
  if (name === "set-cookie") return value.replaceAll(/(^|, )([\w!#$%&'*.^`|~+-]+)=[^;,]*/g, `$1$2=${redacted}`);
  if (isSecretName(name)) return redacted;
  return name === "referer" || name === "location" ? redactQuery(value) : value;
}

const redactor = new Redactor();

/** By the names of its values, at any depth. */
export function redactSession(values: object): Record<string, unknown> {
  return redactor.redact(values);
}

/** A path with its query, or a URL: the values of secret parameters are replaced. */
export function redactQuery(target: string): string {
  return target.replaceAll(/([?&#;])([^=&#;]*)=[^&#;]*/g, (pair, mark: string, name: string) =>
    isSecretName(decode(name)) ? `${mark}${name}=${redacted}` : pair,
  );
}

/** The values of path parameters with a secret name, such as `/reset/:token`. */
export function redactPath(path: string, route: string | undefined): string {
  const names = route?.split("/") ?? [];
  const segments = path.split("/");
  const isSecret = (name = "") => name.startsWith(":") && isSecretName(name);
  return segments.map((segment, index) => (isSecret(names[index]) ? redacted : segment)).join("/");
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
  if (isForm(type)) return type.startsWith("multipart/") ? undefined : redactForm(decodeText(bytes));
  if (/^text\/html\b/i.test(type)) return redactHtml(decodeText(bytes));
  return /^text\/|^application\/(?:xml|javascript)\b|\+xml\b/i.test(type) ? decodeText(bytes) : undefined;
}

function decodeText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function redactJson(text: string): string {
  return JSON.stringify(JSON.parse(text, (name, value: unknown) => (isHidden(name, value) ? redacted : value)));
}

/** An empty value, a truth value and a missing one tell nothing. */
function isHidden(name: string, value: unknown): boolean {
  return value !== "" && value !== null && typeof value !== "boolean" && isSecretName(name);
}

function redactForm(text: string): string {
  return text
    .split("&")
    .map((pair) => {
      const [name = "", value = ""] = pair.split("=", 2);
      return value !== "" && isSecretName(decode(name.replaceAll("+", " "))) ? `${name}=${redacted}` : pair;
    })
    .join("&");
}

/** The tokens of forms. */
function redactHtml(text: string): string {
  return text.replaceAll(/<input\b[^>]*>/gi, (tag) => {
    const [, name = ""] = /\bname="([^"]*)"/i.exec(tag) ?? [];
    return isSecretName(name) ? tag.replace(/\bvalue="[^"]*"/i, `value="${redacted}"`) : tag;
  });
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
