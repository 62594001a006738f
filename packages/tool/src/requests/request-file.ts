import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpError } from "@tenon/core";

/** The files that the developer tools of an application keep, one for each process. */
const files = "node_modules/.cache/tenon/requests.*.jsonl";
/** The version of its lines. */
const version = 1;

export interface KeptSpan {
  readonly kind: string;
  readonly name: string;
  readonly start: number;
  readonly ms: number;
  readonly depth: number;
  readonly error?: string;
  readonly rows?: number;
  readonly job?: number;
}

/** A request or an attempt of a job: the fields that are printed. */
export interface KeptRequest {
  readonly id: string;
  readonly kind: "request" | "job";
  readonly at: string;
  readonly ms: number;
  readonly method: string;
  readonly target: string;
  readonly handler?: string;
  readonly status?: number;
  readonly job?: { readonly id: number; readonly attempt: number; readonly state: string };
  readonly spans: readonly KeptSpan[];
  readonly logs: readonly {
    readonly start: number;
    readonly level: string;
    readonly message: string;
    readonly error?: { readonly stack: string };
  }[];
}

/** The oldest first. Fails when the application has never been run with developer tools. */
export function readRequests(folder: string): KeptRequest[] {
  const names = globSync(files, { cwd: folder });
  if (names.length === 0) {
    const message = `There is no ${files} in ${folder}. Install the developer tools, npm install --save-dev @tenon/devtools, and run tenon dev.`;
    throw new HttpError(404, message);
  }
  const lines = names.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  return lines.flatMap((line) => parseLine(line) ?? []).sort((one, other) => one.at.localeCompare(other.at));
}

function parseLine(line: string): KeptRequest | undefined {
  try {
    const { tenon, ...request } = JSON.parse(line) as KeptRequest & { readonly tenon: unknown }; // checked below
    const isWhole = typeof request.id === "string" && Array.isArray(request.spans) && Array.isArray(request.logs);
    return tenon === version && isWhole ? request : undefined;
  } catch {
    return undefined; // a line that is being written, or one of another version
  }
}
