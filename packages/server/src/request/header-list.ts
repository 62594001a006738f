/** The value of a header in a raw list. `name` is in lower case; repeated headers are joined. */
export function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string; // names and values alternate
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    const value = rawHeaders[index + 1] as string;
    found = found === undefined ? value : `${found}${separatorOf(name)}${value}`;
  }
  return found;
}

export function toHeaderMap(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    headers[name] = name in headers ? `${headers[name]}${separatorOf(name)}${value}` : value;
  }
  return headers;
}

function separatorOf(name: string): string {
  return name === "cookie" ? "; " : ", ";
}
