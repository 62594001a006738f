import { type Context, explainForeignOrigin, HttpError } from "@tenon/core";

const key = /^[+/0-9A-Za-z]{22}==$/;

/** Throws when a request is no WebSocket handshake (RFC 6455, 4.2.1), or comes from a page of another origin. */
export function checkHandshake(ctx: Context, origins: readonly string[]): void {
  if (ctx.header("upgrade").toLowerCase() !== "websocket" || ctx.method !== "GET") {
    throw new HttpError(426, "Upgrade Required", { headers: { upgrade: "websocket" } });
  }
  if (ctx.header("sec-websocket-version") !== "13") {
    throw new HttpError(426, "Upgrade Required", { headers: { upgrade: "websocket", "sec-websocket-version": "13" } });
  }
  if (!key.test(ctx.header("sec-websocket-key"))) throw new HttpError(400, "Bad Request");
  // browsers send cookies along with the handshakes of any page, and do not ask for CORS
  if (origins.includes(ctx.header("origin"))) return;
  const reason = explainForeignOrigin(ctx);
  if (reason === undefined) return;
  ctx.log.info({ event: "origin refused", reason });
  throw new HttpError(403, "Forbidden");
}
