// Hono on its Node server, with its Zod validator and its JWT middleware.
import { serve as listen } from "@hono/node-server";
import { Hono } from "hono";
import { created, hello, posts, routes, secret, toBody } from "./support/data.ts";
import { serve } from "./support/serve.ts";

type Fetch = Parameters<typeof listen>[0]["fetch"];
const open = (app: { fetch: Fetch }, port: number) => listen({ fetch: app.fetch, port, hostname: "127.0.0.1" });

await serve({
  json: (port) => {
    const app = new Hono();
    app.get("/", (c) => c.json(hello));
    open(app, port);
  },

  params: (port) => {
    const app = new Hono();
    app.get("/users/:user/posts/:post", (c) =>
      c.json({ user: c.req.param("user"), post: c.req.param("post"), page: c.req.query("page") }),
    );
    open(app, port);
  },

  body: async (port) => {
    const [{ zValidator }, { NewPostSchema }] = await Promise.all([
      import("@hono/zod-validator"),
      import("./support/zod-schemas.ts"),
    ]);
    const app = new Hono();
    app.post("/posts", zValidator("json", NewPostSchema), (c) => c.json(created(c.req.valid("json")), 201));
    open(app, port);
  },

  middlewares: (port) => {
    const app = new Hono<{ Variables: { count: number } }>();
    for (let index = 0; index < 5; index++) {
      app.use(async (c, next) => {
        c.set("count", (c.get("count") ?? 0) + 1);
        await next();
      });
    }
    app.get("/", (c) => c.json({ count: c.get("count") }));
    open(app, port);
  },

  list: (port) => {
    const app = new Hono();
    app.get("/posts", (c) => c.json(posts));
    open(app, port);
  },

  routes: (port) => {
    const app = new Hono();
    for (const route of routes) app.get(route.path, (c) => c.json(toBody(route, (name) => c.req.param(name))));
    open(app, port);
  },

  bearer: async (port) => {
    const { jwt } = await import("hono/jwt");
    const app = new Hono<{ Variables: { jwtPayload: { user_id: string } } }>();
    app.use("/me", jwt({ secret, alg: "HS256" }));
    app.get("/me", (c) => c.json({ user_id: c.get("jwtPayload").user_id }));
    open(app, port);
  },
});
