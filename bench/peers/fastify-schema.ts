// Fastify with JSON schemas for what comes in and what goes out.
import { DatabaseSync } from "node:sqlite";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { answer, created, hello, type NewPost, posts, routes, secret } from "./support/data.ts";
import {
  bodySchema,
  countReply,
  helloReply,
  listReply,
  paramsSchema,
  postSchema,
  routeSchema,
  userReply,
} from "./support/fastify-schemas.ts";
import { databaseFile, postQuery, toPost } from "./support/posts-database.ts";
import { serve } from "./support/serve.ts";

const listen = (app: FastifyInstance, port: number) => app.listen({ port, host: "127.0.0.1" });

await serve({
  json: (port) => {
    const app = Fastify();
    app.get("/", { schema: { response: helloReply } }, async () => hello);
    return listen(app, port);
  },

  params: (port) => {
    const app = Fastify();
    app.get<{ Params: { user: string; post: string }; Querystring: { page: string } }>(
      "/users/:user/posts/:post",
      { schema: paramsSchema },
      async ({ params, query }) => ({ user: params.user, post: params.post, page: query.page }),
    );
    return listen(app, port);
  },

  body: (port) => {
    const app = Fastify();
    app.post<{ Body: NewPost }>("/posts", { schema: bodySchema }, async (request, reply) => {
      reply.code(201);
      return created(request.body);
    });
    return listen(app, port);
  },

  middlewares: (port) => {
    const app = Fastify();
    app.decorateRequest("count", 0);
    for (let index = 0; index < 5; index++) {
      app.addHook("onRequest", (request, _reply, done) => {
        request.setDecorator("count", request.getDecorator<number>("count") + 1);
        done();
      });
    }
    app.get("/", { schema: { response: countReply } }, async (request) => ({
      count: request.getDecorator<number>("count"),
    }));
    return listen(app, port);
  },

  list: (port) => {
    const app = Fastify();
    app.get("/posts", { schema: { response: listReply } }, async () => posts);
    return listen(app, port);
  },

  routes: (port) => {
    const app = Fastify();
    for (const route of routes) {
      const schema = routeSchema(route.params);
      app.get<{ Params: Record<string, string> }>(route.path, { schema }, async ({ params }) =>
        answer(route, (name) => params[name]),
      );
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
    app.get("/me", { onRequest: guard, schema: { response: userReply } }, async (request) => ({
      user_id: (request.user as { user_id: string }).user_id, // verified, and of our own making
    }));
    return listen(app, port);
  },

  posts: (port) => {
    const app = Fastify();
    const find = new DatabaseSync(databaseFile(), { readOnly: true }).prepare(postQuery);
    app.get<{ Params: { id: string } }>("/posts/:id", { schema: postSchema }, async (request, reply) => {
      const row = find.get(request.params.id);
      if (row !== undefined) return toPost(row);
      reply.code(404);
      return { error: "Post not found" };
    });
    return listen(app, port);
  },
});
