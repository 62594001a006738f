import { type IncomingMessage, request } from "node:http";
import { testOnBothTransports } from "./transports.ts";

/** Like `testOnBothTransports`, but with bodies as sent: `fetch` would decompress them. */
export function testUndecoded(...[name, routes, body, options]: Parameters<typeof testOnBothTransports>): void {
  testOnBothTransports(name, routes, body, options, send);
}

async function send(url: string, { method = "GET", headers }: RequestInit): Promise<Response> {
  const given = Object.fromEntries(new Headers(headers));
  const res = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers: given, agent: false }, resolve).on("error", reject).end();
  });
  const status = res.statusCode as number; // a response has one
  const received = new Headers();
  for (const [name, values = []] of Object.entries(res.headersDistinct)) {
    for (const value of values) received.append(name, value);
  }
  const bytes = Buffer.concat(await res.toArray());
  const bodiless = status === 204 || status === 304 || method === "HEAD";
  return new Response(bodiless ? null : bytes, { status, headers: received });
}
