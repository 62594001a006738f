/** A chunk of a response. */
export function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === "string") return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError("a stream has a chunk that is neither text nor bytes");
}

/** Not made from a generator: a generator that was never started does not stop its source. */
export function toByteStream(iterator: AsyncIterator<unknown>): ReadableStream<Uint8Array> {
  // ReadableStream.from() is not in TypeScript's types of browsers, with which applications share code
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await iterator.next();
        if (step.done === true) {
          controller.close();
          return;
        }
        controller.enqueue(toBytes(step.value));
      },
      cancel: () => void stop(() => iterator), // a source that waits for its client would hold up who cancels
    },
    { highWaterMark: 0 },
  );
}

export function isStream(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** Stops the source of a stream that will not be read. */
export function discard(body: unknown): void {
  if (isStream(body)) void stop(() => body[Symbol.asyncIterator]());
}

/** Stops the source of a stream. Its own errors are ignored. */
export async function stop(iterator: () => AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator().return?.();
  } catch {
    // it is read elsewhere, or fails while it cleans up: this response does not depend on it
  }
}

/** Why a stream of a request body ends when the handler has responded without it. */
export class BodyLeft extends Error {}

/**
 * The body of a web `Request`, opened with its first read: a handler that ignores it asks the client for nothing. A read
 * that the handler did not wait for stays pending: it is a promise of `Request`, whose rejection would crash the process.
 */
export function toRequestBody(open: () => AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = async function* () {
    try {
      yield* open();
    } catch (error) {
      if (error instanceof BodyLeft) await new Promise(() => {});
      throw error;
    }
  };
  return toByteStream(chunks());
}
