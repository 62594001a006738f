/** The encoding the client likes best; among equals the first of `offered`. Undefined: send it as it is. */
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

// far more than anybody knows: a header of nothing but commas is not worth the time it takes
const maxItems = 50;
const maxParameters = 10;
const weightText = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** `gzip;q=0.8, *;q=0` → names with their weights; an item whose weight cannot be read counts as refused. */
export function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(",", maxItems)) {
    const [name = "", ...parameters] = item.split(";", maxParameters).map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(name, weightText.test(weight) ? Number(weight) : 0);
  }
  return weights;
}
