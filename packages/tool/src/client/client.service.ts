import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { HttpError, inject } from "@tenon/core";
import { writeGenerated } from "../files.ts";
import { type ApplicationPlace, Applications } from "../run/applications.ts";
import { clientMark, toClientFile } from "./client-file.ts";
import { checkDocument, getEntries, isObject, type JsonObject, parseDocument } from "./document.ts";

/** Milliseconds for a document from a URL. */
const longestFetch = 30_000;
/** MiB of a document from a URL, decompressed: a few kilobytes on the wire could otherwise fill the memory. */
const largestDocument = 32;

/** Reads OpenAPI documents, and writes them and their clients. */
export class ClientService {
  readonly #applications = inject(Applications);

  /** The document of a file or a URL; without either, that of the application. */
  async readDocument(place: ApplicationPlace, from?: string): Promise<JsonObject> {
    if (from === undefined) return this.describe(place);
    if (/^https?:\/\//i.test(from)) return parseDocument(await fetchText(from, place.signal), from);
    return parseDocument(readText(resolve(place.folder, from), from), from);
  }

  async describe(place: ApplicationPlace): Promise<JsonObject> {
    const { openapi, platform } = await this.#applications.describe(place);
    if (openapi === undefined) throw new HttpError(404, `the ${platform} platform has no OpenAPI document`);
    return checkDocument(openapi, "the application's document");
  }

  writeClient(document: JsonObject, folder: string, out: string): string {
    const isClient = (text: string) => text.slice(0, 1000).includes(clientMark);
    const outcome = writeGenerated(resolve(folder, out), toClientFile(document), isClient, out);
    return `${outcome}  ${out}: a client of ${countOperations(document)}\n`;
  }

  writeDocument(document: JsonObject, folder: string, out: string): string {
    const outcome = writeGenerated(resolve(folder, out), toDocumentText(document), isDocument, out);
    return `${outcome}  ${out}: ${countOperations(document)}\n`;
  }
}

export function toDocumentText(document: JsonObject): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function isDocument(text: string): boolean {
  try {
    parseDocument(text, "");
    return true;
  } catch {
    return false;
  }
}

function countOperations(document: JsonObject): string {
  const items = getEntries(document, "paths").flatMap(([, item]) => getEntries(item));
  const count = items.filter(([, operation]) => isObject(operation)).length;
  return `${count} operation${count === 1 ? "" : "s"}`;
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HttpError(404, `${name} cannot be read: ${toReason(error)}`);
  }
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(longestFetch)]) });
    text = await readBounded(response, url);
  } catch (error) {
    signal.throwIfAborted(); // the user has interrupted the command
    if (error instanceof HttpError) throw error;
    throw new HttpError(502, `${url} cannot be reached: ${toReason(error)}`);
  }
  if (!response.ok) throw new HttpError(502, `${url} responded with status ${response.status}`);
  return text;
}

async function readBounded(response: Response, url: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > largestDocument * 1024 * 1024) throw new HttpError(502, `${url} is larger than ${largestDocument} MiB`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The code of a system error, which fetch hides in the cause of its own. */
function toReason(error: unknown): string {
  const { code, message, cause } = Object(error) as { code?: unknown; message?: unknown; cause?: unknown }; // any value may be thrown
  if (typeof code === "string") return code;
  return cause === undefined ? String(message) : toReason(cause);
}
