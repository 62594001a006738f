import type { ResponseHeaders } from "../headers.ts";

/** Names a request header that the answer depends on, once: caches keep a variant for each of its values. */
export function addVary(headers: ResponseHeaders, name: string): void {
  const present = headers.header("vary");
  if (present === "") {
    headers.setHeader("vary", name);
    return;
  }
  const names = present.split(",").map((item) => item.trim().toLowerCase());
  if (names.includes("*") || names.includes(name.toLowerCase())) return;
  headers.setHeader("vary", `${present}, ${name}`);
}
