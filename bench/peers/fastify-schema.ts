// Fastify with JSON schemas for bodies and replies. Parameters are any text, which no peer checks.
import { DatabaseSync } from "node:sqlite";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { created, hello, type NewPost, posts, routes, secret, toBody } from "./support/data.ts";
import { openPosts } from "./support/fastify-posts.ts";
import {
  bodySchema,
  countReply,
  helloReply,
  listReply,
  pageReply,
  postReply,
  routeReply,
  userReply,
} from "./support/fastify-schemas.ts";
import { databasePlace, postQuery, toPost } from "./support/posts-database.ts";
import { serve } from "./support/serve.ts";

declare module "fastify" {
  interface FastifyRequest {
    count: number;
  }
}

const listen = (app: FastifyInstance, port: number) => app.listen({ port, host: "127.0.0.1" });

await serve({
  json: (port) => {
    const app = Fastify();
    app.get("/", { schema: { response: helloReply } }, (_request, reply) => {
      reply.send(hello);
    });
    return listen(app, port);
  },

  params: (port) => {
    const app = Fastify();
    app.get<{ Params: { user: string; post: string }; Querystring: { page: string } }>(
      "/users/:user/posts/:post",
      { schema: { response: pageReply } },
      ({ params, query }, reply) => {
        reply.send({ user: params.user, post: params.post, page: query.page });
      },
    );
    return listen(app, port);
  },

  body: (port) => {
    const app = Fastify();
    app.post<{ Body: NewPost }>("/posts", { schema: bodySchema }, (request, reply) => {
      reply.code(201).send(created(request.body));
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
    app.get("/", { schema: { response: countReply } }, (request, reply) => {
      reply.send({ count: request.count });
    });
    return listen(app, port);
  },

  list: (port) => {
    const app = Fastify();
    app.get("/posts", { schema: { response: listReply } }, (_request, reply) => {
      reply.send(posts);
    });
    return listen(app, port);
  },

  routes: (port) => {
    const app = Fastify();
    for (const route of routes) {
      const schema = { response: routeReply(route.params) };
      app.get<{ Params: Record<string, string> }>(route.path, { schema }, ({ params }, reply) => {
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
    app.get("/me", { onRequest: guard, schema: { response: userReply } }, async (request) => ({
      user_id: (request.user as { user_id: string }).user_id, // verified, and of our own making
    }));
    return listen(app, port);
  },

  posts: (port) => {
    const app = Fastify();
    const find = new DatabaseSync(databasePlace(), { readOnly: true }).prepare(postQuery);
    app.get<{ Params: { id: string } }>("/posts/:id", { schema: { response: postReply } }, (request, reply) => {
      const row = find.get(request.params.id);
      if (row === undefined) reply.code(404).send({ error: "Post not found" });
      else reply.send(toPost(row));
    });
    return listen(app, port);
  },

  overload: (port) => openPosts(Fastify(), port),
});
