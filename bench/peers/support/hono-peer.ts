// The application of Hono on both runtimes, with its Zod validator and its JWT middleware.
import { Hono } from "hono";
import { created, hello, posts, routes, secret, toBody } from "./data.ts";
import type { Peer } from "./serve.ts";

type Open = (app: { readonly fetch: (request: Request) => Response | Promise<Response> }, port: number) => unknown;

/** `open` starts the server of the runtime. */
export const honoPeer = (open: Open): Peer => ({
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
      import("./zod-schemas.ts"),
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
