// Bare Bun.serve with its own router, and a check by hand as in node.ts. It has no middlewares.
import { created, hello, posts, routes, toBody } from "./support/data.ts";
import { isNewPost } from "./support/new-post-by-hand.ts";
import { serve } from "./support/serve.ts";

function listen(port: number, routes: NonNullable<Bun.ServeOptions["routes"]>): void {
  Bun.serve({ port, hostname: "127.0.0.1", routes });
}

await serve({
  json: (port) => listen(port, { "/": { GET: () => Response.json(hello) } }),

  params: (port) =>
    listen(port, {
      "/users/:user/posts/:post": {
        GET: ({ params: { user, post }, url }) =>
          Response.json({ user, post, page: new URL(url).searchParams.get("page") }),
      },
    }),

  body: (port) => {
    const refuse = () => Response.json({ error: "Invalid request" }, { status: 400 });
    listen(port, {
      "/posts": {
        POST: async (request) => {
          let value: unknown;
          try {
            value = await request.json();
          } catch {
            return refuse();
          }
          return isNewPost(value) ? Response.json(created(value), { status: 201 }) : refuse();
        },
      },
    });
  },

  list: (port) => listen(port, { "/posts": { GET: () => Response.json(posts) } }),

  routes: (port) => {
    const toHandler =
      (route: (typeof routes)[number]): Bun.Handler =>
      ({ params }) =>
        Response.json(toBody(route, (name) => params[name]));
    listen(port, Object.fromEntries(routes.map((route) => [route.path, { GET: toHandler(route) }])));
  },
});
