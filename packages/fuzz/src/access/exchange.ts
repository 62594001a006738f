import { ContractError, type TestHttpApp } from "@tenon/core/testing";
import { type FuzzedRequest, isJson, send } from "../fuzzed-request.ts";
import type { Operation } from "../operation.ts";
import type { Actor } from "./actors.ts";
import type { Choice, RequestBuilder } from "./builder.ts";
import { isSuccess, nothing, type Prepared, type Seen, type Step } from "./step.ts";

export class Exchange {
  readonly app: TestHttpApp;
  readonly #builder: RequestBuilder;
  /** The operations that have succeeded for an actor. */
  readonly reached = new Set<string>();
  /** Those that an actor has sent an identity of another one to. */
  readonly attacked = new Set<string>();
  readonly #statuses = new Map<string, Set<number>>();
  sent = 0;

  constructor(app: TestHttpApp, builder: RequestBuilder) {
    this.app = app;
    this.#builder = builder;
  }

  /** Undefined where the actor lacks an object that the request needs. */
  async request(actor: Actor, operation: Operation, choice?: Choice): Promise<Step | undefined> {
    const prepared = this.#builder.build(actor, operation, choice);
    return prepared && this.send(actor, operation, prepared);
  }

  async send(actor: Actor, operation: Operation, { request, uses }: Prepared): Promise<Step> {
    this.sent++;
    const seen = await this.#respond(actor, operation, request);
    if (seen.status === 429) {
      throw new Error(
        `fuzzAccess(): ${operation.id} responded 429 to ${actor.name} after ${this.sent} requests. Turn its rate limit off in the configuration of this test, or name it in the option skip.`,
      );
    }
    for (const key of [actor.name, operation.id, `${actor.name} ${operation.id}`])
      this.#statuses.set(key, this.statusesOf(key).add(seen.status));
    if (isSuccess(seen)) this.reached.add(operation.id);
    return { actor, operation, request, seen, uses };
  }

  hasReached(actor: Actor, operation: Operation): boolean {
    return [...this.statusesOf(`${actor.name} ${operation.id}`)].some((status) => status >= 200 && status < 400);
  }

  /** By the name of an actor, the id of an operation, or both. */
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
      if (error instanceof ContractError) return nothing;
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
