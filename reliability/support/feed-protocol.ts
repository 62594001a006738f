/** One event of the feed. A lane publishes its events one after the other: 1, 2, 3 and so on. */
export interface Tick {
  readonly lane: number;
  readonly number: number;
  /** When its publisher began to publish it: milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
}

/** What the parent of an instance asks. */
export type FeedCommand =
  | {
      readonly type: "start";
      /** The numbers of its lanes. */
      readonly lanes: readonly number[];
      /** Events of each lane per second. */
      readonly rate: number;
      /** Events of each lane; 0 for no limit. */
      readonly limit: number;
    }
  /** Waits for the limit of every lane. */
  | { readonly type: "finish" }
  | { readonly type: "stop" }
  | { readonly type: "count" };

/** What a lane has published. */
export interface Published {
  readonly lane: number;
  /** The number of its last event. */
  readonly last: number;
  /** Events whose publishing failed: they may be stored or not. */
  readonly failed: readonly number[];
}
