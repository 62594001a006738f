import { createHash, timingSafeEqual } from "node:crypto";
import { endpoint, HttpError, inject, type MiddlewareFunction, type Routes } from "@tenon/core";
import { textFormat } from "../metrics/text-format.ts";
import { ObserveSettings } from "../settings.ts";
import { Metrics } from "./metrics.ts";

/** `GET /metrics`, unless the metrics have a port of their own. */
export class MetricsController {
  readonly #settings = inject(ObserveSettings).metrics;
  readonly #metrics = inject(Metrics);

  routes(): Routes {
    if (this.#settings === undefined || this.#settings.port !== undefined) return [];
    const { path, token, middlewares = [] } = this.#settings;
    const guards = token === undefined ? middlewares : [requireToken(token), ...middlewares];
    return [{ method: "GET", path, handler: endpoint({ hidden: true }, this.show), middlewares: guards }];
  }

  async show(): Promise<Response> {
    return new Response(await this.#metrics.text(), { headers: { "content-type": textFormat } });
  }
}

function requireToken(token: string): MiddlewareFunction {
  const isAuthorized = createTokenCheck(token);
  return function requireMetricsToken(ctx, next) {
    if (isAuthorized(ctx.header("authorization"))) return next();
    throw new HttpError(401, "Unauthorized", { headers: { "www-authenticate": "Bearer" } });
  };
}

/** Whether a header `Authorization` has the token, in the same time for any other one. */
export function createTokenCheck(token: string): (authorization: string) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (authorization) => timingSafeEqual(digest(authorization), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
