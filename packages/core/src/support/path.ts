import { HttpError } from "./errors.ts";

/** A path or query that no route can match. Anything else that is thrown for it is a defect of the server. */
export class MalformedTarget extends HttpError {
  constructor() {
    super(400, "Bad Request");
  }
}

/** Undefined where the encoding is malformed. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
