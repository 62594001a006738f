// Koa with its router and body parser, Zod for the body and jose for tokens.
import Router, { type RouterMiddleware } from "@koa/router";
import Koa from "koa";
import { created, hello, posts, routes, secret, toBody } from "./support/data.ts";
import { serve } from "./support/serve.ts";

const listen = (app: Koa, router: Router, port: number) =>
  app.use(router.routes()).use(router.allowedMethods()).listen(port, "127.0.0.1");

await serve({
  json: (port) => {
    const router = new Router();
    router.get("/", (ctx) => {
      ctx.body = hello;
    });
    listen(new Koa(), router, port);
  },

  params: (port) => {
    const router = new Router();
    router.get("/users/:user/posts/:post", (ctx) => {
      ctx.body = { user: ctx.params.user, post: ctx.params.post, page: ctx.query.page };
    });
    listen(new Koa(), router, port);
  },

  body: async (port) => {
    const [{ bodyParser }, { NewPostSchema }] = await Promise.all([
      import("@koa/bodyparser"),
      import("./support/zod-schemas.ts"),
    ]);
    const app = new Koa();
    app.silent = true;
    app.use(bodyParser());
    const router = new Router();
    router.post("/posts", (ctx) => {
      const result = NewPostSchema.safeParse(ctx.request.body);
      ctx.status = result.success ? 201 : 400;
      ctx.body = result.success ? created(result.data) : { error: "Invalid request" };
    });
    listen(app, router, port);
  },

  middlewares: (port) => {
    const app = new Koa();
    for (let index = 0; index < 5; index++) {
      app.use(async (ctx, next) => {
        ctx.state.count = (ctx.state.count ?? 0) + 1;
        await next();
      });
    }
    const router = new Router();
    router.get("/", (ctx) => {
      ctx.body = { count: ctx.state.count };
    });
    listen(app, router, port);
  },

  list: (port) => {
    const router = new Router();
    router.get("/posts", (ctx) => {
      ctx.body = posts;
    });
    listen(new Koa(), router, port);
  },

  routes: (port) => {
    const router = new Router();
    for (const route of routes) {
      router.get(route.path, (ctx) => {
        ctx.body = toBody(route, (name) => ctx.params[name]);
      });
    }
    listen(new Koa(), router, port);
  },

  bearer: async (port) => {
    const { jwtVerify } = await import("jose");
    const key = new TextEncoder().encode(secret);
    const router = new Router();
    const guard: RouterMiddleware = async (ctx, next) => {
      try {
        const { payload } = await jwtVerify(ctx.get("authorization").split(" ")[1] ?? "", key);
        ctx.state.user = payload;
      } catch {
        ctx.status = 401;
        ctx.body = { error: "Invalid token" };
        return;
      }
      await next();
    };
    router.get("/me", guard, (ctx) => {
      ctx.body = { user_id: ctx.state.user.user_id };
    });
    listen(new Koa(), router, port);
  },
});
