import type { Context } from "@tenon/core";

/** What proxies and tunnels add. `X-Forwarded-` is the start of many names. */
const forwardingHeader =
  /^(?:x-forwarded-.+|forwarded|via|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|cdn-loop)$/;
const loopbackPeer = /^(?:127\.[0-9.]+|::1)$/;
const loopbackHost = /^(?:(?:[^:]+\.)?localhost\.?|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/i;

/**
 * Whether a request was made on this machine. A proxy or a tunnel is a loopback peer too: its headers reveal it, or the
 * `Host` that its clients use, which is also what reveals a page that has rebound its name to 127.0.0.1.
 * A request that was handed to `app.fetch` has no peer.
 */
export function isLocalRequest(ctx: Context): boolean {
  const request = ctx.request();
  const peer = request.peer();
  if (peer !== undefined && !loopbackPeer.test(peer)) return false;
  return (
    loopbackHost.test(request.host()) && !Object.keys(request.headers()).some((name) => forwardingHeader.test(name))
  );
}
