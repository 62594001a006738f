// Tenon without application middlewares, as for all peers; the checks of the HTTP server are on.
import {
  type ApiOptions,
  api,
  array,
  boolean,
  type Context,
  createApp,
  defineModule,
  dto,
  endpoint,
  integer,
  type Next,
  type Routes,
  string,
  timestamp,
} from "@tenon/core";
import {
  created,
  fewPosts,
  filesFolder,
  hello,
  type Post,
  routes as paths,
  posts,
  secret,
  toBody,
  work,
} from "./support/data.ts";
import { NewPost } from "./support/new-post.ts";
import { serve } from "./support/serve.ts";

type ControllerClass = new () => { routes(): Routes };

async function open(
  controller: ControllerClass,
  port: number,
  imports: Parameters<typeof defineModule>[0]["imports"] = [],
  { limits = {}, middlewares = [] }: Pick<ApiOptions, "limits" | "middlewares"> = {},
) {
  const module = defineModule({ name: "bench", imports, declarations: [controller] });
  const app = await createApp(module, api({ middlewares, limits }), { log: { level: "warn" } });
  await app.listen({ port });
}

class HelloController {
  routes(): Routes {
    return [{ method: "GET", path: "/", handler: this.show }];
  }
  show() {
    return hello;
  }
}

class WorkController {
  routes(): Routes {
    return [{ method: "GET", path: "/", handler: work }];
  }
}

async function openCompressed(list: readonly Post[], port: number) {
  const { compress } = await import("@tenon/core/middleware");
  class PostsController {
    routes(): Routes {
      return [{ method: "GET", path: "/posts", handler: () => list }];
    }
  }
  return open(PostsController, port, [], { middlewares: [compress()] });
}

async function openReference(toUrl: (place: string) => string, port: number, limits: ApiOptions["limits"] = {}) {
  const [{ createAppModule }, { databasePlace }] = await Promise.all([
    import("../../apps/reference/src/app.module.ts"),
    import("./support/posts-database.ts"),
  ]);
  const config = { databaseUrl: toUrl(databasePlace()), jwtSecret: secret };
  const platform = api({ middlewares: [], limits });
  const app = await createApp(createAppModule(), platform, { config, log: { level: "warn" } });
  await app.listen({ port });
}

await serve({
  json: (port) => open(HelloController, port),
  idle: (port) => open(HelloController, port, [], { limits: { keepAlive: 600_000 } }),
  work: (port) => open(WorkController, port),

  "compressed-few": (port) => openCompressed(fewPosts, port),
  "compressed-list": (port) => openCompressed(posts, port),
  precompressed: async (port) => {
    const { staticFiles } = await import("@tenon/core/middleware");
    const files = staticFiles(filesFolder());
    class FilesController {
      routes(): Routes {
        return [{ method: "GET", path: "/*", handler: files }];
      }
    }
    return open(FilesController, port);
  },

  params: (port) => {
    class PostsController {
      routes(): Routes {
        return [{ method: "GET", path: "/users/:user/posts/:post", handler: this.show }];
      }
      show(ctx: Context<"/users/:user/posts/:post">) {
        return { user: ctx.param("user"), post: ctx.param("post"), page: ctx.query("page") };
      }
    }
    return open(PostsController, port);
  },

  body: (port) => {
    const Created = dto({ id: integer("required"), ...NewPost.fields });
    class PostsController {
      routes(): Routes {
        return [{ method: "POST", path: "/posts", handler: this.create }];
      }
      readonly create = endpoint({ body: NewPost, returns: { 201: Created } }, (_, { body }) => created(body));
    }
    return open(PostsController, port);
  },

  middlewares: (port) => {
    class Count {
      handle(ctx: Context, next: Next) {
        ctx.set("count", ((ctx.get("count") as number | undefined) ?? 0) + 1);
        return next();
      }
    }
    const middlewares = Array.from({ length: 5 }, () => class extends Count {});
    class CountController {
      routes(): Routes {
        return [{ method: "GET", path: "/", handler: this.show, middlewares }];
      }
      show(ctx: Context) {
        return { count: ctx.get("count") };
      }
    }
    return open(CountController, port);
  },

  list: (port) => {
    const Post = dto({
      id: integer("required"),
      title: string("required"),
      content: string("required"),
      author: string("required"),
      published: boolean("required"),
      created_at: timestamp("required"),
    });
    class PostsController {
      routes(): Routes {
        return [{ method: "GET", path: "/posts", handler: this.index }];
      }
      readonly index = endpoint({ returns: array(Post) }, () => posts);
    }
    return open(PostsController, port);
  },

  routes: (port) => {
    class ManyController {
      routes(): Routes {
        return paths.map((route) => ({
          method: "GET",
          path: route.path,
          handler: (ctx: Context) => toBody(route, (name) => ctx.param(name)),
        }));
      }
    }
    return open(ManyController, port);
  },

  bearer: async (port) => {
    const [{ authModule, BearerAuth }, { dataModule }] = await Promise.all([
      import("@tenon/auth"),
      import("@tenon/data"),
    ]);
    const auth = authModule(dataModule({ database: "sqlite::memory:" }), { secret });
    class MeController {
      routes(): Routes {
        return [{ method: "GET", path: "/me", handler: this.show, middlewares: [BearerAuth] }];
      }
      show(ctx: Context) {
        return { user_id: ctx.get("user_id") };
      }
    }
    return open(MeController, port, [auth]);
  },

  posts: (port) => openReference((place) => `sqlite:${place}`, port),
  // as behind a balancer that keeps its connections
  overload: (port) => openReference((place) => place, port, { keepAlive: 60_000 }),
});
