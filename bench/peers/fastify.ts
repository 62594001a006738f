// Fastify without schemas: JSON.stringify for replies, Zod for the body.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { created, fewPosts, filesFolder, hello, type Post, posts, routes, secret, toBody } from "./support/data.ts";
import { serve } from "./support/serve.ts";

const listen = (app: FastifyInstance, port: number) => app.listen({ port, host: "127.0.0.1" });

async function listenCompressed(list: readonly Post[], port: number) {
  const { default: compress } = await import("@fastify/compress");
  const app = Fastify();
  await app.register(compress);
  app.get("/posts", (_request, reply) => {
    reply.send(list);
  });
  return listen(app, port);
}

await serve({
  "compressed-few": (port) => listenCompressed(fewPosts, port),
  "compressed-list": (port) => listenCompressed(posts, port),
  precompressed: async (port) => {
    const { default: files } = await import("@fastify/static");
    const app = Fastify();
    await app.register(files, { root: filesFolder(), preCompressed: true });
    return listen(app, port);
  },

  json: (port) => {
    const app = Fastify();
    app.get("/", (_request, reply) => {
      reply.send(hello);
    });
    return listen(app, port);
  },

  params: (port) => {
    const app = Fastify();
    app.get<{ Params: { user: string; post: string }; Querystring: { page: string } }>(
      "/users/:user/posts/:post",
      ({ params, query }, reply) => {
        reply.send({ user: params.user, post: params.post, page: query.page });
      },
    );
    return listen(app, port);
  },

  body: async (port) => {
    const { NewPostSchema } = await import("./support/zod-schemas.ts");
    const app = Fastify();
    app.post("/posts", (request, reply) => {
      const result = NewPostSchema.safeParse(request.body);
      if (result.success) reply.code(201).send(created(result.data));
      else reply.code(400).send({ error: "Invalid request" });
    });
    return listen(app, port);
  },

  middlewares: (port) => {
    const app = Fastify();
    app.decorateRequest("count", 0);
    for (let index = 0; index < 5; index++) {
      app.addHook("onRequest", (request, _reply, done) => {
        request.count++;
        done();
      });
    }
    app.get("/", (request, reply) => {
      reply.send({ count: request.count });
    });
    return listen(app, port);
  },

  list: (port) => {
    const app = Fastify();
    app.get("/posts", (_request, reply) => {
      reply.send(posts);
    });
    return listen(app, port);
  },

  routes: (port) => {
    const app = Fastify();
    for (const route of routes) {
      app.get<{ Params: Record<string, string> }>(route.path, ({ params }, reply) => {
        reply.send(toBody(route, (name) => params[name]));
      });
    }
    return listen(app, port);
  },

  bearer: async (port) => {
    const { default: jwt } = await import("@fastify/jwt");
    const app = Fastify();
    await app.register(jwt, { secret, verify: { cache: true } });
    const guard = async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        await request.jwtVerify();
      } catch {
        return reply.code(401).send({ error: "Invalid token" });
      }
    };
    app.get("/me", { onRequest: guard }, async (request) => ({
      user_id: (request.user as { user_id: string }).user_id, // verified, and of our own making
    }));
    return listen(app, port);
  },
});
