import type { Context } from "../context.ts";

/** Headers that proxies and tunnels add: standard ones, those of vendors, and anything about a client's address. */
const forwardingHeader =
  /^(?:(?:x-)?forwarded(?:-.+)?|via|x-real-ip|cdn-loop|x-original-.+|x-envoy-.+|(?:.+-)?client-?ip|cf-connecting-.+)$/;
const loopbackPeer = /^(?:127\.[0-9.]+|::1)$/;
const loopbackHost = /^(?:(?:[^:]+\.)?localhost\.?|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/i;

/**
 * Whether a request was made on this machine. A proxy or a tunnel has a loopback address too, but adds headers or has
 * another `Host`; the `Host` also reveals a page whose name was rebound to 127.0.0.1 (DNS rebinding). A request that was
 * passed to `app.fetch` has no peer.
 */
export function isLocalRequest(ctx: Context): boolean {
  const request = ctx.request();
  const peer = request.peer();
  if (peer !== undefined && !loopbackPeer.test(peer)) return false;
  // an absolute target replaces the Host (RFC 9112, 3.2.2), so both must name this machine
  const headers = request.headers();
  const hosts = [request.host(), headers.host ?? request.host()];
  return (
    hosts.every((host) => loopbackHost.test(host)) && !Object.keys(headers).some((name) => forwardingHeader.test(name))
  );
}
