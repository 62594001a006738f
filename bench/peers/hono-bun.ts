// Hono on Bun.
import { honoPeer } from "./support/hono-peer.ts";
import { serve } from "./support/serve.ts";

await serve(honoPeer((app, port) => Bun.serve({ fetch: app.fetch, port, hostname: "127.0.0.1" })));
