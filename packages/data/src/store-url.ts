import { parseSettingUrl, refuseUrl } from "@tenon/core/internal";
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

/** `option` names the URL in the error message, which quotes nothing of it. */
export function parseStoreUrl<K extends StoreUrl["kind"]>(
  text: string,
  option: string,
  allowed: readonly K[],
): Extract<StoreUrl, { kind: K }> {
  const parsed = parse(text);
  if (parsed === undefined || !(allowed as readonly string[]).includes(parsed.kind)) {
    refuseUrl(option, text, `It takes a URL such as ${allowed.map((kind) => forms[kind]).join(", ")}.`);
  }
  if (parsed.kind === "postgres") checkPostgresUrl(parsed.url, option);
  return parsed as Extract<StoreUrl, { kind: K }>; // its kind is in the list
}

function parse(text: string): StoreUrl | undefined {
  if (text === "memory:") return { kind: "memory" };
  if (text.startsWith("sqlite:")) {
    const path = text.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
    return path === "" ? undefined : { kind: "sqlite", path };
  }
  const url = parseSettingUrl(text);
  if (url === undefined) return undefined;
  const place = (port: string) => `${url.hostname}:${url.port || port}`;
  if (url.protocol === "postgres:" || url.protocol === "postgresql:") {
    return { kind: "postgres", url: text, place: place("5432") };
  }
  if (url.protocol === "redis:" || url.protocol === "rediss:") {
    return { kind: "redis", url: text, place: place("6379") };
  }
  return undefined;
}
