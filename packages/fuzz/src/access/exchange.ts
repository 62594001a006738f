import { ContractError, type TestHttpApp } from "@tenon/core/testing";
import { type FuzzedRequest, isJson, send } from "../fuzzed-request.ts";
import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import { isSuccess, type Prepared, type Seen, type Step } from "./step.ts";

export class Exchange {
  readonly app: TestHttpApp;
  /** The operations that have succeeded for an actor. */
  readonly reached = new Set<string>();
  /** By actor and by operation: the statuses of the responses. */
  readonly #statuses = new Map<string, Set<number>>();
  sent = 0;

  constructor(app: TestHttpApp) {
    this.app = app;
  }

  async send(actor: Actor, operation: Operation, { request, uses }: Prepared): Promise<Step> {
    this.sent++;
    const seen = await this.#respond(actor, operation, request);
    if (seen.status === 429) {
      throw new Error(
        `fuzzAccess(): ${operation.id} responded 429 to ${actor.name} after ${this.sent} requests. Turn its rate limit off in the configuration of this test, or name it in the option skip.`,
      );
    }
    for (const key of [actor.name, operation.id]) this.#statuses.set(key, this.statusesOf(key).add(seen.status));
    if (isSuccess(seen)) this.reached.add(operation.id);
    return { actor, operation, request, seen, uses };
  }

  statusesOf(key: string): Set<number> {
    return this.#statuses.get(key) ?? new Set();
  }

  async #respond(actor: Actor, operation: Operation, request: FuzzedRequest): Promise<Seen> {
    try {
      const response = await send(this.app, operation, request, await actor.headersFor(operation));
      const text = await response.text();
      return {
        status: response.status,
        text,
        json: isJson(response.headers.get("content-type") ?? "") ? parse(text) : undefined,
        location: response.headers.get("location") ?? "",
        link: response.headers.get("link") ?? "",
      };
    } catch (error) {
      // an undeclared response is the matter of fuzzContract
      if (error instanceof ContractError) return { status: 0, text: "", json: undefined, location: "", link: "" };
      throw error;
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // an export of JSON lines
  }
}
