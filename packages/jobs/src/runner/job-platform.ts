import type { Context, MiddlewareLike, Reply } from "@tenon/core";
import { type BackgroundPlatform, type Incoming, Outgoing } from "@tenon/core/platform";
import { definitionOf } from "../job-definition.ts";
import type { JobIncoming } from "./job-incoming.ts";

/** What a handler returned or threw. */
export class JobOutgoing extends Outgoing {
  readonly reply: Reply | undefined;
  readonly error: unknown;

  constructor(reply: Reply | undefined, error?: unknown) {
    super(reply?.status ?? 500, null, "");
    this.reply = reply;
    this.error = error;
  }
}

/** How jobs go through the kernel. */
export function createJobPlatform(middlewares: readonly MiddlewareLike[]): BackgroundPlatform {
  return {
    name: "jobs",
    middlewares,
    serves: (route) => definitionOf(route.contract) !== undefined,
    serialize: (reply) => new JobOutgoing(reply),
    fail: (error: unknown, _: Context) => new JobOutgoing(undefined, error), // the runner logs it: it knows what follows
    readInput: (incoming: Incoming) => {
      const { run } = incoming as JobIncoming; // this platform makes no other kind of request
      return { value: JSON.parse(run.row.input), fromText: false };
    },
    readQuery: () => ({ value: {}, fromText: false }),
    showProgress: (incoming, total, label) => (incoming as JobIncoming).run.startProgress(total, label), // as above
  };
}
