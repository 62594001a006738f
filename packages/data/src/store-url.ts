import { parseSettingUrl } from "@tenon/core/internal";
import { checkPostgresUrl } from "./database/postgres-settings.ts";

export type StoreUrl =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string; readonly place: string }
  | { readonly kind: "redis"; readonly url: string; readonly place: string };

const forms: Readonly<Record<StoreUrl["kind"], string>> = {
  sqlite: "sqlite:./data/app.db, sqlite::memory:",
  postgres: "postgres://user@host/name",
  redis: "redis://host:6379",
  memory: "memory:",
};

const kinds: Readonly<Record<string, StoreUrl["kind"]>> = {
  "postgres:": "postgres",
  "postgresql:": "postgres",
  "redis:": "redis",
  "rediss:": "redis",
};

/** `option` names the URL in the error message, which quotes nothing of it. */
export function parseStoreUrl<K extends StoreUrl["kind"]>(
  text: string,
  option: string,
  allowed: readonly K[],
): Extract<StoreUrl, { kind: K }> {
  return parse(text, option, allowed) as Extract<StoreUrl, { kind: K }>; // its kind is in the list
}

function parse(text: string, option: string, allowed: readonly (string | undefined)[]): StoreUrl {
  if (text === "memory:" && allowed.includes("memory")) return { kind: "memory" };
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)/s.exec(text)?.[1];
  if (path !== undefined && allowed.includes("sqlite")) return { kind: "sqlite", path };
  const examples = Object.entries(forms).flatMap(([kind, form]) => (allowed.includes(kind) ? [form] : []));
  const cure = `It takes a URL such as ${examples.join(", ")}.`;
  const url = parseSettingUrl(option, text, cure, ({ protocol }) => allowed.includes(kinds[protocol]));
  const place = (port: string) => `${url.hostname}:${url.port || port}`;
  if (kinds[url.protocol] === "redis") return { kind: "redis", url: text, place: place("6379") };
  checkPostgresUrl(text, option);
  return { kind: "postgres", url: text, place: place("5432") };
}
