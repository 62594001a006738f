// h3 on its Node server, with Zod as its Standard Schema and jose for tokens.
import { getQuery, getRouterParam, H3, HTTPError, serve as listen, readValidatedBody } from "h3";
import { created, hello, posts, routes, secret, toBody } from "./support/data.ts";
import { serve } from "./support/serve.ts";

const open = (app: H3, port: number) => listen(app, { port, hostname: "127.0.0.1", silent: true });

await serve({
  json: (port) => {
    const app = new H3();
    app.get("/", () => hello);
    open(app, port);
  },

  params: (port) => {
    const app = new H3();
    app.get("/users/:user/posts/:post", (event) => ({
      user: getRouterParam(event, "user"),
      post: getRouterParam(event, "post"),
      page: getQuery(event).page,
    }));
    open(app, port);
  },

  body: async (port) => {
    const { NewPostSchema } = await import("./support/zod-schemas.ts");
    const app = new H3({ silent: true });
    app.post("/posts", async (event) => {
      const post = await readValidatedBody(event, NewPostSchema);
      event.res.status = 201;
      return created(post);
    });
    open(app, port);
  },

  middlewares: (port) => {
    const app = new H3();
    for (let index = 0; index < 5; index++) {
      app.use((event) => {
        event.context.count = ((event.context.count as number | undefined) ?? 0) + 1;
      });
    }
    app.get("/", (event) => ({ count: event.context.count }));
    open(app, port);
  },

  list: (port) => {
    const app = new H3();
    app.get("/posts", () => posts);
    open(app, port);
  },

  routes: (port) => {
    const app = new H3();
    for (const route of routes) {
      app.get(route.path, (event) => toBody(route, (name) => getRouterParam(event, name)));
    }
    open(app, port);
  },

  bearer: async (port) => {
    const { jwtVerify } = await import("jose");
    const key = new TextEncoder().encode(secret);
    const app = new H3({ silent: true });
    app.use("/me", async (event) => {
      try {
        const { payload } = await jwtVerify(event.req.headers.get("authorization")?.split(" ")[1] ?? "", key);
        event.context.user = payload;
      } catch {
        throw new HTTPError({ status: 401, message: "Invalid token" });
      }
    });
    app.get("/me", (event) => ({ user_id: (event.context.user as { user_id: string }).user_id }));
    open(app, port);
  },
});
