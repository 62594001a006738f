// Hono on its Node server.
import { serve as listen } from "@hono/node-server";
import { honoPeer } from "./support/hono-peer.ts";
import { serve } from "./support/serve.ts";

await serve(honoPeer((app, port) => listen({ fetch: app.fetch, port, hostname: "127.0.0.1" })));
