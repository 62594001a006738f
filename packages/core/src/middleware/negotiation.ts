import type { ResponseHeaders } from "../request/headers.ts";

/** The encoding that the client prefers; among equals the first of `offered`. Undefined: send the body unencoded. */
export function chooseEncoding<Encoding extends string>(
  acceptEncoding: string,
  offered: readonly Encoding[],
): Encoding | undefined {
  if (acceptEncoding === "") return undefined;
  const weights = parseWeights(acceptEncoding);
  const others = weights.get("*") ?? 0;
  let best: Encoding | undefined;
  let bestWeight = 0;
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? others;
    if (weight <= bestWeight) continue;
    best = encoding;
    bestWeight = weight;
  }
  return bestWeight < (weights.get("identity") ?? 0) ? undefined : best;
}

// far more than clients send: a header of nothing but commas would cost time
const maxItems = 50;
const maxParameters = 10;
const weightText = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** `gzip;q=0.8, *;q=0` → names with their weights; a malformed weight counts as 0, refused. */
export function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(",", maxItems)) {
    const [name = "", ...parameters] = item.split(";", maxParameters).map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(name, weightText.test(weight) ? Number(weight) : 0);
  }
  return weights;
}

/** Adds a request header that the response depends on, once: caches keep a variant for each of its values. */
export function addVary(headers: ResponseHeaders, name: string): void {
  const present = headers.header("vary");
  const names = present.split(",").map((item) => item.trim().toLowerCase());
  if (names.includes("*") || names.includes(name.toLowerCase())) return;
  headers.setHeader("vary", present === "" ? name : `${present}, ${name}`);
}
