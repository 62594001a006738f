/** `1.25 s`, `12 ms`, `0.31 ms`. */
export function toDuration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(2)} s`;
  return `${milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0)} ms`;
}

/** `12 bytes`, `3.4 KiB`. */
export function toSize(bytes: number | undefined): string {
  if (bytes === undefined) return "a stream";
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return `${(bytes / 1024).toFixed(1)} KiB`;
}

/** The time of day, as the server has it: `14:03:27`. */
export function toTime(iso: string): string {
  const date = new Date(iso);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** JSON over several lines; any other text as it is. */
export function toPretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function toJson(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The words of a name or a path, between which it may be wrapped: `src/`, `posts.`, `ts:`, `12`. */
export function toParts(text: string): string[] {
  return text.split(/(?<=[/.:_-])|(?<=[a-z0-9])(?=[A-Z])/);
}

/** Another scheme, such as `javascript:`, is not a link. */
export function isWebUrl(url: string | undefined): boolean {
  return /^https?:$/.test(URL.parse(url ?? "")?.protocol ?? "");
}

export function toQuery(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString();
}
