// The application of Elysia on both runtimes, with its own schemas and its JWT plugin.
import { type Elysia, t } from "elysia";
import { created, hello, posts, routes, secret, toBody } from "./data.ts";
import type { Peer } from "./serve.ts";

const at = (port: number) => ({ port, hostname: "127.0.0.1" });

/** `create` makes an application for the runtime. */
export const elysiaPeer = (create: () => Elysia): Peer => ({
  json: (port) => {
    create()
      .get("/", () => hello)
      .listen(at(port));
  },

  params: (port) => {
    create()
      .get("/users/:user/posts/:post", ({ params, query }) => ({
        user: params.user,
        post: params.post,
        page: query.page,
      }))
      .listen(at(port));
  },

  body: (port) => {
    const body = t.Object({
      title: t.String({ minLength: 1, maxLength: 200 }),
      content: t.String({ minLength: 1 }),
      priority: t.Integer({ minimum: 1, maximum: 5 }),
      published: t.Boolean(),
      tags: t.Array(t.String()),
    });
    create()
      .post("/posts", ({ body, status }) => status(201, created(body)), { body })
      .listen(at(port));
  },

  middlewares: (port) => {
    const state = (): { state: { count: number } } => ({ state: { count: 0 } });
    let app = create().derive(state);
    for (let index = 0; index < 5; index++) {
      app = app.onBeforeHandle(({ state }) => {
        state.count++;
      });
    }
    app.get("/", ({ state }) => state).listen(at(port));
  },

  list: (port) => {
    create()
      .get("/posts", () => posts)
      .listen(at(port));
  },

  routes: (port) => {
    const app = create();
    for (const route of routes) {
      app.get(route.path, ({ params }: { params: Record<string, string> }) => toBody(route, (name) => params[name]));
    }
    app.listen(at(port));
  },

  bearer: async (port) => {
    const { jwt } = await import("@elysiajs/jwt");
    create()
      .use(jwt({ name: "jwt", secret, alg: "HS256" }))
      .get("/me", async ({ jwt, headers, status }) => {
        const claims = await jwt.verify(headers.authorization?.split(" ")[1]);
        if (claims === false) return status(401, { error: "Invalid token" });
        return { user_id: claims.user_id };
      })
      .listen(at(port));
  },
});
