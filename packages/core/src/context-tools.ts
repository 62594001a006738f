import type { RequestLimits } from "./body/body-reader.ts";
import type { Input } from "./dto/bind.ts";
import type { Log } from "./log/log.ts";
import type { MatchedRoute } from "./matched-route.ts";
import type { Incoming, RequestView } from "./request.ts";

/** What every context of an application shares: made once, by the kernel. */
export interface ContextTools {
  readonly limits: RequestLimits;
  readonly log: Log;
  /** What `bind()` validates. */
  readonly readInput: (incoming: Incoming, request: RequestView) => Input | Promise<Input>;
  /** What the `query` of a contract validates. Defaults to the query of the URL. */
  readonly readQuery?: ((incoming: Incoming, request: RequestView) => Input | Promise<Input>) | undefined;
  /** What a body of `form()` validates. */
  readonly readForm: (incoming: Incoming, request: RequestView) => Input | Promise<Input>;
  /** Left out where no terminal shows it. */
  readonly showProgress?: ((incoming: Incoming, total: number, label: string) => Progress) | undefined;
  /** Called when a handler reads a parameter that the path of its route does not declare. */
  readonly onUnknownParam: (route: MatchedRoute, name: string) => void;
}

/** Shows how far a long piece of work has come. */
export interface Progress {
  /** Marks steps as done. `by` defaults to one. */
  advance(by?: number): void;
  /** Ends the display, whether or not every step was done. */
  done(): void;
}
