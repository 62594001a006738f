import { timingSafeEqual } from "node:crypto";
import type { Context } from "@tenon/core";
import { serializeCookie, toLocation } from "@tenon/core/internal";
import { type Incoming, Outgoing } from "@tenon/core/platform";

/** Redacted by its name, in logs and in records. */
const parameter = "dev_secret";
const headerName = "x-tenon-dev";
const cookiePrefix = "tenon-dev-";

/**
 * Recognises the developer of an application by a secret. An address or a `Host` proves nothing: a proxy or a forwarder
 * on the same machine makes every request look local.
 */
export class DeveloperAccess {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Whether a request carries the secret, in the header `X-Tenon-Dev` or in the cookie that the link has set. */
  hasSecret(incoming: Pick<Incoming, "header" | "host" | "protocol">): boolean {
    const start = `${cookieName(incoming)}=`;
    const pairs = (incoming.header("cookie") ?? "").split(";").map((pair) => pair.trim());
    const cookies = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
    return [incoming.header(headerName), ...cookies].some((text) => this.#isSecret(text));
  }

  /** The same for a handler. The response that a developer gets is marked, so that no cache keeps it for others. */
  admit(ctx: Context): boolean {
    const request = ctx.request();
    const header = (name: string) => ctx.header(name);
    const isAdmitted = this.hasSecret({ header, host: request.host(), protocol: request.protocol() });
    if (isAdmitted) ctx.response().setHeader("cache-control", "no-store");
    return isAdmitted;
  }

  /** A URL that signs a browser in. */
  toLink(url: string): string {
    return `${url}?${parameter}=${this.#secret}`;
  }

  /**
   * What the link gets: the cookie, and a redirect to the URL without the secret. Undefined for any other request. Call it
   * before anything that logs or records.
   */
  signIn(incoming: Incoming): Outgoing | undefined {
    const { method, path, search } = incoming;
    if ((method !== "GET" && method !== "HEAD") || !search.includes(`${parameter}=`)) return undefined;
    const pairs = search.split("&");
    const isSecret = (pair: string) =>
      pair.startsWith(`${parameter}=`) && this.#isSecret(pair.slice(parameter.length + 1));
    if (!pairs.some(isSecret)) return undefined;
    const rest = pairs.filter((pair) => !isSecret(pair)).join("&");
    const secure = incoming.protocol === "https";
    const cookie = serializeCookie(cookieName(incoming), this.#secret, { sameSite: "strict", secure });
    const outgoing = new Outgoing(303, null, "");
    outgoing.headers
      .setHeader("location", toLocation(rest === "" ? path : `${path}?${rest}`, false))
      .setHeader("set-cookie", cookie)
      .setHeader("cache-control", "no-store")
      .setHeader("referrer-policy", "no-referrer");
    return outgoing;
  }

  #isSecret(text: string | undefined): boolean {
    if (text === undefined) return false;
    const [given, expected] = [Buffer.from(text), Buffer.from(this.#secret)];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/** With the port, because a browser sends the cookies of a host to all of its ports: two applications would overwrite each other's. */
function cookieName({ host, protocol }: Pick<Incoming, "host" | "protocol">): string {
  const [, port = protocol === "https" ? "443" : "80"] = /:([0-9]+)$/.exec(host) ?? [];
  return `${cookiePrefix}${port}`;
}

/** The headers of a request without the secret, and without what carries it: an application has not asked for either. */
export function withoutSecret(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { [headerName]: _, cookie, ...others } = headers;
  const pairs = (cookie ?? "").split(";").filter((pair) => !pair.trimStart().startsWith(cookiePrefix));
  const left = pairs.join(";").trim();
  return left === "" ? others : { ...others, cookie: left };
}
