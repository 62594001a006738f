/** The limits of fixtures/live-echo.ts. */
export const echoLimits = {
  /** Bytes of a message. */
  messageBytes: 1000,
  /** Bytes of a message, before and after it is inflated, where messages may be compressed. */
  compressedBytes: 20_000,
  /** Connections at the same time. */
  connections: 500,
} as const;
