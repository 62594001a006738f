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

/** A request of an actor with its response. */
export interface Step {
  readonly actor: Actor;
  readonly operation: Operation;
  readonly request: FuzzedRequest;
  readonly seen: Seen;
  /** The objects whose ids it has. */
  readonly uses: readonly FuzzedObject[];
}

/** A request with the objects whose ids it has. */
export interface Prepared {
  readonly request: FuzzedRequest;
  readonly uses: readonly FuzzedObject[];
}

/** What an actor has created, or the actor's own user. */
export interface FuzzedObject {
  readonly id: string | number;
  /** Its noun: `task`. */
  readonly kind: string;
  readonly owner: Actor;
  /** A text that appears in no other object; empty where it has no free text. */
  readonly marker: string;
  /** The request that has created it; undefined for a user. */
  readonly created: Step | undefined;
  /** Where the id was found: `.id`, as `jq` takes it, or `location`. */
  readonly idPath: string;
  /** Its fields, as its creation has returned them. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Its place among those of its owner: enumerated values and booleans differ from one to the next. */
  readonly turn: number;
  /** The request by which its owner has deleted it. */
  deletion: Step | undefined;
  /** Whether an attack may have changed it, so that it shows nothing any more. */
  isSpent: boolean;
}

/** Redirects are the responses of forms. */
export function isSuccess({ status }: Seen): boolean {
  return status >= 200 && status < 400;
}

/** The objects whose ids its creation had: its parents, and theirs. */
export function around({ created }: FuzzedObject): FuzzedObject[] {
  return (created?.uses ?? []).flatMap((one) => [one, ...around(one)]);
}
