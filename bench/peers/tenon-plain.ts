// Tenon with plain handlers: what the declarations of tenon.ts cost.
import { api, type Context, createApp, defineModule, type Routes } from "@tenon/core";
import { created, posts } from "./support/data.ts";
import { NewPost } from "./support/new-post.ts";
import { serve } from "./support/serve.ts";

async function open(list: Routes, port: number) {
  class PostsController {
    routes(): Routes {
      return list;
    }
  }
  const module = defineModule({ name: "bench", declarations: [PostsController] });
  const app = await createApp(module, api({ middlewares: [] }), { log: { level: "warn" } });
  await app.listen({ port });
}

await serve({
  body: (port) => {
    const create = async (ctx: Context) => ctx.status(201).json(created(await ctx.bind(NewPost)));
    return open([{ method: "POST", path: "/posts", handler: create }], port);
  },
  list: (port) => open([{ method: "GET", path: "/posts", handler: () => posts }], port),
});
