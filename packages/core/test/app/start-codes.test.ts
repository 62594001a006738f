import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import {
  api,
  createApp,
  defineModule,
  dto,
  endpoint,
  inject,
  type Module,
  type Problem,
  provide,
  type Routes,
  type StartError,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { web } from "@tenon/web";
import { temporaryViews } from "../../../web/test/support/views.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { rejection, startError } from "../support/start-error.ts";
import { moduleOf } from "../support/transports.ts";

interface Case {
  readonly problem: string;
  readonly text: string;
  readonly start: () => Promise<StartError>;
}

class Mailer {}
class SignupService {
  readonly mailer = inject(Mailer);
}
class SignupController {
  readonly service = inject(SignupService);
  routes() {
    return [];
  }
}
class Chicken {
  readonly egg: unknown = inject(Egg);
}
class Egg {
  readonly chicken = inject(Chicken);
}
class BrokenMailer {
  constructor() {
    throw new Error("no host");
  }
}
class PostsController {}
class ForgetfulController {
  routes(): Routes {
    throw new Error("the table is not loaded");
  }
}
class Clock {
  onStart() {
    throw new Error("no time server");
  }
}
class Guardless {}

const viewsFolder = temporaryViews({ "index.eta": "<h1>Hello</h1>\n<% if (data) {\n" });

const index = () => "ok";
const misspelt = undefined as never; // what a misspelt name gives in code that no compiler checked

/** Typed by the codes: one without a case does not compile. */
const cases: Record<Problem["code"], Case> = {
  BAD_ENVIRONMENT: {
    problem: "an unknown LOG_LEVEL",
    text: 'LOG_LEVEL is "loud\\n". Use one of: trace, debug, info, warn, error, fatal, silent.',
    start: () => rejection(Promise.try(() => readEnvironment({ LOG_LEVEL: "loud\n" }))),
  },
  BAD_OPTION: {
    problem: "a port that is none",
    text: "port of listen() is 70000. It takes a whole number from 0 to 65535.",
    start: () => listening(moduleOf([]), 70_000),
  },
  BAD_MODULE: {
    problem: "a misspelt key of a module",
    text: 'Module "app" has an unknown key: declaration (did you mean declarations?). It takes name, imports, declarations, exports.',
    start: () => startError(defineModule({ name: "app", ...{ declaration: [Mailer] } })),
  },
  DUPLICATE_MODULE: {
    problem: "two modules of one name",
    text: 'Two modules are named "users": one imported by "app" and one imported by "posts". Give one of them another name, or define it once and import it in both places.',
    start: () => {
      const posts = defineModule({ name: "posts", imports: [defineModule({ name: "users" })] });
      return startError(defineModule({ name: "app", imports: [defineModule({ name: "users" }), posts] }));
    },
  },
  DUPLICATE_DECLARATION: {
    problem: "a class that two modules declare",
    text: 'Mailer is declared in module "mail" and in module "app", which would make two instances. Declare it in one, export it there, and import that module in the other.',
    start: () => {
      const mail = defineModule({ name: "mail", declarations: [Mailer], exports: [Mailer] });
      return startError(defineModule({ name: "app", imports: [mail], declarations: [Mailer] }));
    },
  },
  EXPORT_NOT_DECLARED: {
    problem: "an export that is not declared",
    text: 'Module "app" exports Mailer but does not declare it. Add Mailer to the declarations of "app", or remove the export.',
    start: () => startError(defineModule({ name: "app", exports: [Mailer] })),
  },
  UNKNOWN_DEPENDENCY: {
    problem: "a dependency that no module declares",
    text: 'SignupService (module "app") needs Mailer, which no module declares (SignupController → SignupService → Mailer). Add Mailer to the declarations of "app", or import the module that exports it.',
    start: () => startError(defineModule({ name: "app", declarations: [SignupController, SignupService] })),
  },
  DEPENDENCY_CYCLE: {
    problem: "classes that inject each other",
    text: 'Dependencies form a cycle: Chicken (module "app") → Egg (module "app") → Chicken (module "app"). Move what they share into a service that both inject.',
    start: () => startError(defineModule({ name: "app", declarations: [Chicken, Egg] })),
  },
  INJECT_OUTSIDE_CONSTRUCTION: {
    problem: "new instead of a declaration",
    text: "inject(Mailer) was called outside construction. Call it in a field initialiser, a constructor or a provide() factory, and let the container construct the class: list it in a module's declarations instead of using new.",
    start: () => rejection(Promise.try(() => new SignupService())),
  },
  CONSTRUCTION_FAILED: {
    problem: "a constructor that throws",
    text: 'BrokenMailer (module "app") could not be constructed: no host. LOG_LEVEL=debug shows where it was thrown.',
    start: () => startError(defineModule({ name: "app", declarations: [BrokenMailer] })),
  },
  CONTROLLER_WITHOUT_ROUTES: {
    problem: "a controller without routes()",
    text: 'PostsController (module "app") has no routes() method. Add routes() { return [this.index]; }, or give it another name if it is not a controller.',
    start: () => startError(defineModule({ name: "app", declarations: [PostsController] })),
  },
  ROUTES_FAILED: {
    problem: "routes() that throws",
    text: 'routes() of ForgetfulController (module "app") failed: the table is not loaded. LOG_LEVEL=debug shows where it was thrown.',
    start: () => startError(defineModule({ name: "app", declarations: [ForgetfulController] })),
  },
  BAD_ROUTE: {
    problem: "a route with an impossible path",
    text: 'GET /files/*/raw of TestController (module "test") is malformed: "*" must be the whole last segment, as in "/files/*".',
    start: () => startError(moduleOf([{ method: "GET", path: "/files/*/raw", handler: index }])),
  },
  BAD_HANDLER: {
    problem: "a misspelt handler",
    text: 'GET /posts of TestController (module "test") has no handler. Name one, for example handler: this.index, and check the method\'s spelling.',
    start: () => startError(moduleOf([{ method: "GET", path: "/posts", handler: misspelt }])),
  },
  BAD_CONTRACT: {
    problem: "a body for a status that has none",
    text: 'The contract of GET /posts of TestController (module "test") returns an object (Dto) with 204. Use a schema, or null for no body, as for 204 and 304.',
    start: () => {
      const handler = endpoint({ returns: { 204: dto({ id: string("required") }) } }, () => ({ id: "1" }));
      return startError(moduleOf([{ method: "GET", path: "/posts", handler }]));
    },
  },
  BAD_MIDDLEWARE: {
    problem: "a middleware without handle()",
    text: 'GET /posts of TestController (module "test") lists the class Guardless as a middleware. A middleware is a function, or a class or an object with handle(ctx, next).',
    start: () =>
      startError(moduleOf([{ method: "GET", path: "/posts", handler: index, middlewares: [Guardless as never] }])),
  },
  DUPLICATE_ROUTE: {
    problem: "two routes of one shape",
    text: 'GET /users/:name of TestController (module "b") is already declared by TestController (module "a") as GET /users/:id. Remove one of them or change its path.',
    start: () => {
      const a = moduleOf([{ method: "GET", path: "/users/:id", handler: index }], "a");
      const b = moduleOf([{ method: "GET", path: "/users/:name", handler: index }], "b");
      return startError(defineModule({ name: "app", imports: [a, b] }));
    },
  },
  UNKNOWN_ROUTE: {
    problem: "the removal of a route that is not there",
    text: "There is no route DELETE /posts. app.routes.list() shows those in force.",
    start: async () => {
      const app = await createTestApp(moduleOf([]), api());
      return rejection(Promise.try(() => app.routes.remove("DELETE", "/posts")));
    },
  },
  OVERRIDE_WITHOUT_TARGET: {
    problem: "an override that hits nothing",
    text: 'The override of Mailer replaces nothing: neither module "app" nor what it imports declares it. Remove the override, or declare Mailer in one of them.',
    start: () => startError(defineModule({ name: "app" }), { override: [provide(Mailer, () => new Mailer())] }),
  },
  START_HOOK_FAILED: {
    problem: "onStart() that throws",
    text: 'onStart() of Clock (module "app") failed: no time server. LOG_LEVEL=debug shows where it was thrown.',
    start: () => startError(defineModule({ name: "app", declarations: [Clock] })),
  },
  APP_STOPPED: {
    problem: "a start after the stop",
    text: "The application has been stopped and does not start again. Call createApp() for a new one.",
    start: async () => {
      const app = await createTestApp(moduleOf([]), api());
      await app.stop();
      return rejection(app.start());
    },
  },
  BAD_VIEW: {
    problem: "a view whose tags do not end, in production",
    text: `A view cannot be read: ${join(realpathSync(viewsFolder), "index.eta")}:2: unclosed tag.`,
    start: () => rejection(createTestApp(moduleOf([]), web({ views: viewsFolder, development: false }))),
  },
  LISTEN_FAILED: {
    problem: "a port in use",
    text: "Port <port> on 127.0.0.1 is in use. Stop the program that has it, or take another port: PORT=<other> or --port=<other>, where the application reads them.",
    start: async () => {
      const other = createServer();
      const port = await new Promise<number>((resolve) => {
        other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port)); // TCP has this form
      });
      try {
        return await listening(moduleOf([]), port);
      } finally {
        other.close();
      }
    },
  },
};

for (const [code, { problem, text, start }] of Object.entries(cases)) {
  test(`${code}: ${problem} is reported in full`, async () => {
    const error = await start();
    const message = error.message.replace(/^Port \d+/, "Port <port>").replaceAll(/(?<=port=)\d+/gi, "<other>");
    assert.equal(message, text);
    assert.deepEqual(
      error.problems.map((problem) => problem.code),
      [code],
    );
  });
}

async function listening(module: Module, port: number): Promise<StartError> {
  const app = await createApp(module, api(), { onStartError: "throw", log: { level: "silent" } });
  return rejection(app.listen({ port, signals: false }));
}
