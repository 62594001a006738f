// Express 5, with Zod for the body and jose for tokens.
import express, { type Express, type RequestHandler } from "express";
import { created, hello, posts, routes, secret, toBody } from "./support/data.ts";
import { serve } from "./support/serve.ts";

const listen = (app: Express, port: number) => app.listen(port, "127.0.0.1");

await serve({
  json: (port) => {
    const app = express();
    app.get("/", (_req, res) => void res.json(hello));
    listen(app, port);
  },

  params: (port) => {
    const app = express();
    app.get("/users/:user/posts/:post", (req, res) => {
      res.json({ user: req.params.user, post: req.params.post, page: req.query.page });
    });
    listen(app, port);
  },

  body: async (port) => {
    const { NewPostSchema } = await import("./support/zod-schemas.ts");
    const app = express();
    app.use(express.json());
    app.post("/posts", (req, res) => {
      const result = NewPostSchema.safeParse(req.body);
      if (result.success) res.status(201).json(created(result.data));
      else res.status(400).json({ error: "Invalid request" });
    });
    listen(app, port);
  },

  middlewares: (port) => {
    const app = express();
    for (let index = 0; index < 5; index++) {
      app.use((_req, res, next) => {
        res.locals.count = (res.locals.count ?? 0) + 1;
        next();
      });
    }
    app.get("/", (_req, res) => void res.json({ count: res.locals.count }));
    listen(app, port);
  },

  list: (port) => {
    const app = express();
    app.get("/posts", (_req, res) => void res.json(posts));
    listen(app, port);
  },

  routes: (port) => {
    const app = express();
    for (const route of routes) {
      app.get<Record<string, string>>(
        route.path,
        (req, res) => void res.json(toBody(route, (name) => req.params[name])),
      );
    }
    listen(app, port);
  },

  bearer: async (port) => {
    const { jwtVerify } = await import("jose");
    const key = new TextEncoder().encode(secret);
    const guard: RequestHandler = async (req, res, next) => {
      try {
        const { payload } = await jwtVerify(req.get("authorization")?.split(" ")[1] ?? "", key);
        res.locals.user = payload;
      } catch {
        res.status(401).json({ error: "Invalid token" });
        return;
      }
      next();
    };
    const app = express();
    app.get("/me", guard, (_req, res) => void res.json({ user_id: res.locals.user.user_id }));
    listen(app, port);
  },
});
