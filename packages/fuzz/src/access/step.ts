import type { FuzzedRequest } from "../fuzzed-request.ts";
import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";

/** A response, read to its end. */
export interface Seen {
  readonly status: number;
  readonly text: string;
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
  readonly location: string;
  readonly link: string;
}

/** What is seen where there is no response. */
export const nothing: Seen = { status: 0, text: "", json: undefined, location: "", link: "" };

/** A request with the objects whose ids it has. */
export interface Prepared {
  readonly request: FuzzedRequest;
  readonly uses: readonly FuzzedObject[];
}

/** A request of an actor with its response. */
export interface Step extends Prepared {
  readonly actor: Actor;
  readonly operation: Operation;
  readonly seen: Seen;
}

/** What an actor has created, or the actor's own user. */
export interface FuzzedObject {
  id: string | number;
  /** The id of the operation that creates objects like it. */
  readonly kind: string;
  /** What messages call it: `task`. */
  readonly name: string;
  readonly owner: Actor;
  /** A text that appears in no other object; empty where it has no free text. */
  readonly marker: string;
  /** The request that has created it; undefined for a user. */
  readonly created: Step | undefined;
  /** Where the id was found: `.id`, as `jq` takes it, or `location`. */
  idPath: string;
  /** Its texts and numbers by their paths, as its creation has returned them. */
  readonly values: ReadonlyMap<string, string | number>;
  /** Its place among those of its owner: enumerated values and booleans differ from one to the next. */
  readonly turn: number;
  /** The request by which its owner has deleted it. */
  deletion: Step | undefined;
  /** Whether an attack may have changed it, so that it shows nothing any more. */
  isSpent: boolean;
}

export type FindingKind = "delete" | "change" | "attach" | "mass assignment" | "live" | "read" | "existence";

/** What an attack has shown, with the requests that show it. */
export interface Verdict {
  readonly kind: FindingKind;
  readonly evidence: string;
  readonly steps: readonly Step[];
  readonly objects: readonly FuzzedObject[];
}

/** Redirects are the responses of forms. */
export function isSuccess({ status }: Seen): boolean {
  return status >= 200 && status < 400;
}

/** The objects whose ids its creation had: its parents, and theirs. */
export function around({ created }: FuzzedObject): FuzzedObject[] {
  return (created?.uses ?? []).flatMap((one) => [one, ...around(one)]);
}
