export type {
  HeaderEntries,
  HeaderValue,
  Incoming,
  Outgoing,
  OutgoingBody,
  RequestHandler,
  Upgrade,
} from "./handler.ts";
export type { HttpServer, ServerLog, ServerOptions, TlsSettings } from "./options.ts";
export { defaultLimits, type ServerLimits, toSingleHeaders } from "./request/limits.ts";
export { type ClientInfo, type FetchServer, type ServeOptions, serve } from "./serve.ts";
export { WireServer } from "./wire/server.ts";
