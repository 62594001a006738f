import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, Log, type Routes, StartError, token } from "@tenon/core";
import { Introspection } from "@tenon/core/platform";
import { createTestApp } from "@tenon/core/testing";
import { startError } from "../support/start-error.ts";

class Mailer {}

test("start errors of different kinds are reported together, numbered, each on its own line", async () => {
  class Signup {
    readonly mailer = inject(Mailer);
  }
  class Clock {
    constructor() {
      throw new Error("first line\nsecond line");
    }
  }
  class PostsController {
    routes(): Routes {
      return [
        { method: "GET", path: "/posts", handler: undefined as never }, // a misspelt method is undefined
        { method: "GET", path: "/users/:id/:id", handler: () => 1 },
        { method: "GET", path: "/", handler: () => 1, middlewares: ["auth" as never] }, // plain JavaScript can pass it
      ];
    }
  }
  class UsersController {}
  const data = defineModule({ name: "data", declarations: [Signup], exports: [Mailer] });
  const module = defineModule({
    name: "app",
    imports: [data],
    declarations: [Clock, PostsController, UsersController],
  });
  const error = await startError(module);
  assert.equal(
    error.message,
    `7 problems:
  1. Module "data" exports Mailer but does not declare it. Add Mailer to its declarations, or export the module that it comes from.
  2. Signup (module "data") needs Mailer, which no module declares (Signup → Mailer). Add Mailer to the declarations of "data", or import the module that exports it.
  3. Clock (module "app") could not be constructed: first line
     second line. LOG_LEVEL=debug shows where it was thrown.
  4. UsersController (module "app") has no routes() method. Add routes() { return [this.index]; }, or give it another name if it is not a controller.
  5. GET /posts of PostsController (module "app") has no handler. Name one, for example handler: this.index, and check the method's spelling.
  6. GET /users/:id/:id of PostsController (module "app") is malformed: it has ":id" twice.
  7. GET / of PostsController (module "app") lists the text "auth" as a middleware. A middleware is a function, or a class or an object with handle(ctx, next).`,
  );
  assert.ok(error instanceof StartError);
  assert.equal(error.problems.length, 7);
});

test("a wiring error is reported before any onStart() runs", async () => {
  let ran = false;
  class Eager {
    onStart() {
      ran = true;
    }
  }
  class Signup {
    readonly mailer = inject(Mailer);
  }
  await startError(defineModule({ name: "app", declarations: [Eager, Signup] }));
  assert.equal(ran, false);
});

test("app.get() returns what the root module sees, and throws for anything else", async () => {
  const Url = token<string>("Url");
  const inner = defineModule({ name: "inner", declarations: [Mailer] });
  const app = await createTestApp(defineModule({ name: "app", imports: [inner] }), api());
  assert.equal(typeof app.get(Log).info, "function");
  assert.throws(() => app.get(Mailer), {
    message: 'app.get(): module "app" does not see Mailer. Import a module that exports it.',
  });
  assert.throws(() => app.get(Url), /^Error: app\.get\(\): module "app" does not see Url/);
});

test("a constructor may ask for the instances made so far, but not for the routes", async () => {
  class Inspector {
    readonly introspection = inject(Introspection);
    readonly seen = this.introspection.instances();
    constructor() {
      assert.throws(() => this.introspection.routes, ReferenceError);
    }
  }
  const module = defineModule({ name: "app", declarations: [Mailer, Inspector] });
  const app = await createTestApp(module, api());
  const inspector = app.get(Inspector);
  assert.deepEqual(inspector.seen, [app.get(Mailer)]);
  assert.equal(inspector.introspection.module, "app");
  assert.ok(inspector.introspection.instances().length > 2, "the open platform is one of them");
  await app.stop();
});
