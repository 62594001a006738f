/** What a connection that listens reports. */
export interface LinkListeners {
  readonly onMessage: (message: string) => void;
  /** May be called more than once. */
  readonly onLost: () => void;
}

/** A connection outside of the pool. */
export interface Link {
  /** Rejects, or does not end, when the connection is dead. */
  check(statement?: string): Promise<unknown>;
  close(): void;
}
