// Fastify with its OpenTelemetry plugin, as its documentation recommends, and the SDK as the variables OTEL_… say.
import { FastifyOtelInstrumentation } from "@fastify/otel";
import { NodeSDK } from "@opentelemetry/sdk-node";
import Fastify from "fastify";
import { hello } from "./support/data.ts";
import { serve } from "./support/serve.ts";

async function open(port: number) {
  const instrumentation = new FastifyOtelInstrumentation();
  new NodeSDK({ instrumentations: [instrumentation], logRecordProcessors: [] }).start();
  const app = Fastify();
  await app.register(instrumentation.plugin());
  app.get("/", (_request, reply) => {
    reply.send(hello);
  });
  app.get<{ Params: { user: string; post: string }; Querystring: { page: string } }>(
    "/users/:user/posts/:post",
    ({ params, query }, reply) => {
      reply.send({ user: params.user, post: params.post, page: query.page });
    },
  );
  await app.listen({ port, host: "127.0.0.1" });
}

await serve({ json: open, params: open });
