// AdonisJS with its HTTP server, body parser and VineJS; jose for tokens, because its own tokens are no JWTs.

import { IgnitorFactory } from "@adonisjs/core/factories";
import type { HttpContext } from "@adonisjs/core/http";
import type { ApplicationService } from "@adonisjs/core/types";
import { created, hello, posts, routes, secret, toBody } from "./support/data.ts";
import { serve } from "./support/serve.ts";

type Next = () => Promise<void>;
type Setup = (app: ApplicationService) => Promise<void>;

async function open(port: number, setup: Setup): Promise<void> {
  Object.assign(process.env, { PORT: String(port), HOST: "127.0.0.1", NODE_ENV: "production" });
  await new IgnitorFactory()
    .withCoreProviders()
    .withCoreConfig()
    .merge({ config: { logger: { default: "app", loggers: { app: { enabled: false } } } } })
    .preload(setup)
    .create(new URL("./", import.meta.url))
    .httpServer()
    .start();
}

declare module "@adonisjs/core/http" {
  interface HttpContext {
    count?: number;
    user?: Readonly<Record<string, unknown>>;
  }
}

await serve({
  json: (port) =>
    open(port, async (app) => {
      const router = await app.container.make("router");
      router.get("/", () => hello);
    }),

  params: (port) =>
    open(port, async (app) => {
      const router = await app.container.make("router");
      router.get("/users/:user/posts/:post", ({ params, request }: HttpContext) => ({
        user: params.user,
        post: params.post,
        page: request.qs().page,
      }));
    }),

  body: (port) =>
    open(port, async (app) => {
      const { default: vine } = await import("@vinejs/vine");
      const validator = vine.create({
        title: vine.string().minLength(1).maxLength(200),
        content: vine.string().minLength(1),
        priority: vine.number().withoutDecimals().range([1, 5]),
        published: vine.boolean(),
        tags: vine.array(vine.string()),
      });
      const [router, server] = [await app.container.make("router"), await app.container.make("server")];
      server.use([() => import("@adonisjs/core/bodyparser_middleware")]);
      router.post("/posts", async ({ request, response }: HttpContext) => {
        const post = await validator.validate(request.all());
        return response.created(created(post));
      });
    }),

  middlewares: (port) =>
    open(port, async (app) => {
      const router = await app.container.make("router");
      const steps = Array.from({ length: 5 }, () => (ctx: HttpContext, next: Next) => {
        ctx.count = (ctx.count ?? 0) + 1;
        return next();
      });
      router.get("/", ({ count }: HttpContext) => ({ count })).use(steps);
    }),

  list: (port) =>
    open(port, async (app) => {
      const router = await app.container.make("router");
      router.get("/posts", () => posts);
    }),

  routes: (port) =>
    open(port, async (app) => {
      const router = await app.container.make("router");
      for (const route of routes) {
        router.get(route.path, ({ params }: HttpContext) => toBody(route, (name) => params[name]));
      }
    }),

  bearer: (port) =>
    open(port, async (app) => {
      const { jwtVerify } = await import("jose");
      const key = new TextEncoder().encode(secret);
      const router = await app.container.make("router");
      const guard = async (ctx: HttpContext, next: Next) => {
        try {
          const { payload } = await jwtVerify(ctx.request.header("authorization")?.split(" ")[1] ?? "", key);
          ctx.user = payload;
        } catch {
          return ctx.response.unauthorized({ error: "Invalid token" });
        }
        return next();
      };
      router.get("/me", (ctx: HttpContext) => ({ user_id: ctx.user?.user_id })).use(guard);
    }),
});
