// Tenon with @tenon/observe, as the variables OTEL_… of the benchmark say: tracing, 10 % sampled.
import { api, type Context, createApp, defineModule, type Routes } from "@tenon/core";
import { observeModule } from "@tenon/observe";
import { hello } from "./support/data.ts";
import { serve } from "./support/serve.ts";

class TracedController {
  routes(): Routes {
    return [
      { method: "GET", path: "/", handler: () => hello },
      { method: "GET", path: "/users/:user/posts/:post", handler: this.show },
    ];
  }
  show(ctx: Context<"/users/:user/posts/:post">) {
    return { user: ctx.param("user"), post: ctx.param("post"), page: ctx.query("page") };
  }
}

async function open(port: number) {
  const module = defineModule({ name: "bench", imports: [observeModule()], declarations: [TracedController] });
  const app = await createApp(module, api({ middlewares: [] }), { log: { level: "warn" } });
  await app.listen({ port });
}

await serve({ json: open, params: open });
