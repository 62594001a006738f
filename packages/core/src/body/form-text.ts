import { BindError } from "../support/errors.ts";

/** A form that cannot be read. The message never quotes it: it may hold a password. */
export function refuseForm(message: string): never {
  throw new BindError([{ path: "", rule: "form", message }]);
}

// ignoreBOM keeps the mark: it was typed, like any other character
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return refuseForm("is not UTF-8");
  }
}
