// For the tests: fetch() lets go of a connection as soon as it is not used. Kept for seconds, as it does by itself, each
// would make the server that a test stops wait for the next request of a client in full swing.
await fetch("data:,"); // makes the dispatcher
const key = ["undici.globalDispatcher.2", "undici.globalDispatcher.1"]
  .map(Symbol.for)
  .find((name) => name in globalThis);
const { constructor: Agent } = globalThis[key];
globalThis[key] = new Agent({ keepAliveTimeout: 1, keepAliveMaxTimeout: 1 });
