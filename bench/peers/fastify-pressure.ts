// Fastify with @fastify/under-pressure and the limits of its documentation, without those of the memory: the process alone
// has more than 100 MB, and every request would be refused. In its other mode the utilization is that of the whole run.
import underPressure from "@fastify/under-pressure";
import Fastify from "fastify";
import { openPosts } from "./support/fastify-posts.ts";
import { serve } from "./support/serve.ts";

await serve({
  overload: async (port) => {
    const app = Fastify();
    await app.register(underPressure, {
      maxEventLoopDelay: 1000,
      maxEventLoopUtilization: 0.98,
      eventLoopUtilizationMode: "interval",
    });
    await openPosts(app, port);
  },
});
