// For the tests: makes fetch() close idle connections at once. By default they stay open for seconds, and a server that a
// test stops would wait for the next request of a busy client.
await fetch("data:,"); // makes the dispatcher
const key = ["undici.globalDispatcher.2", "undici.globalDispatcher.1"]
  .map(Symbol.for)
  .find((name) => name in globalThis);
const { constructor: Agent } = globalThis[key];
globalThis[key] = new Agent({ keepAliveTimeout: 1, keepAliveMaxTimeout: 1 });
