import type { Context } from "../context.ts";
import type { Incoming } from "../request.ts";

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
  return (peer === undefined || isLoopback(peer)) && isForThisMachine(request.host(), request.headers());
}

/** The same before the kernel. A request without a socket does not count. */
export function isLocalIncoming(incoming: Pick<Incoming, "peer" | "host" | "headers">): boolean {
  const { peer, host } = incoming;
  return peer !== undefined && isLoopback(peer) && isForThisMachine(host, incoming.headers());
}

/** Whether an IP address is one of this machine for itself. */
export function isLoopback(address: string): boolean {
  return loopbackPeer.test(address);
}

function isForThisMachine(host: string, headers: Readonly<Record<string, string>>): boolean {
  // an absolute target replaces the Host (RFC 9112, 3.2.2), so both must name this machine
  const hosts = [host, headers.host ?? host];
  return hosts.every((name) => loopbackHost.test(name)) && !Object.keys(headers).some(isForwarding);
}

function isForwarding(name: string): boolean {
  return forwardingHeader.test(name);
}
