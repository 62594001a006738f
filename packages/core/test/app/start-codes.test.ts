import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import {
  api,
  type Class,
  createApp,
  defineModule,
  dto,
  endpoint,
  inject,
  type Module,
  type Problem,
  provide,
  type Route,
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

class Mailer {}
class SignupService {
  readonly mailer = inject(Mailer);
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

const misspelt = undefined as never; // what a misspelt name gives in code that no compiler checked

const atOnce = (work: () => unknown) => rejection(Promise.try(work));
const startsWith = (...declarations: readonly Class[]) => startError(defineModule({ name: "app", declarations }));
const routed = (route: Partial<Route>, name = "test") =>
  moduleOf([{ method: "GET", path: "/posts", handler: () => "ok", ...route }], name);

/** A start or a use that fails with each code. Typed by the codes: one without a case does not compile. */
const cases: Record<Problem["code"], () => Promise<StartError>> = {
  BAD_ENVIRONMENT: () => atOnce(() => readEnvironment({ LOG_LEVEL: "loud\n" })),
  BAD_OPTION: () => listening(moduleOf([]), 70_000),
  BAD_MODULE: () => startError(defineModule({ name: "app", ...{ declaration: [Mailer] } })),
  DUPLICATE_MODULE: () => {
    const posts = defineModule({ name: "posts", imports: [defineModule({ name: "users" })] });
    return startError(defineModule({ name: "app", imports: [defineModule({ name: "users" }), posts] }));
  },
  DUPLICATE_DECLARATION: () => {
    const mail = defineModule({ name: "mail", declarations: [Mailer], exports: [Mailer] });
    return startError(defineModule({ name: "app", imports: [mail], declarations: [Mailer] }));
  },
  EXPORT_NOT_DECLARED: () => startError(defineModule({ name: "app", exports: [Mailer] })),
  UNKNOWN_DEPENDENCY: () => startsWith(SignupService),
  DEPENDENCY_CYCLE: () => startsWith(Chicken, Egg),
  INJECT_OUTSIDE_CONSTRUCTION: () => atOnce(() => new SignupService()),
  CONSTRUCTION_FAILED: () => startsWith(BrokenMailer),
  CONTROLLER_WITHOUT_ROUTES: () => startsWith(PostsController),
  ROUTES_FAILED: () => startsWith(ForgetfulController),
  BAD_ROUTE: () => startError(routed({ path: "/files/*/raw" })),
  BAD_HANDLER: () => startError(routed({ handler: misspelt })),
  BAD_CONTRACT: () => {
    const contract = { returns: { 204: dto({ id: string("required") }) } };
    return startError(routed({ handler: endpoint(contract, () => ({ id: "1" })) }));
  },
  BAD_MIDDLEWARE: () => startError(routed({ middlewares: [Guardless as never] })),
  DUPLICATE_ROUTE: () => {
    const imports = [routed({ path: "/users/:id" }, "a"), routed({ path: "/users/:name" }, "b")];
    return startError(defineModule({ name: "app", imports }));
  },
  UNKNOWN_ROUTE: async () => {
    const app = await createTestApp(moduleOf([]), api());
    return atOnce(() => app.routes.remove("DELETE", "/posts"));
  },
  OVERRIDE_WITHOUT_TARGET: () =>
    startError(defineModule({ name: "app" }), { override: [provide(Mailer, () => new Mailer())] }),
  START_HOOK_FAILED: () => startsWith(Clock),
  APP_STOPPED: async () => {
    const app = await createTestApp(moduleOf([]), api());
    await app.stop();
    return rejection(app.start());
  },
  BAD_VIEW: () => {
    const views = temporaryViews({ "index.eta": "<h1>Hello</h1>\n<% if (data) {\n" });
    return rejection(createTestApp(moduleOf([]), web({ views, development: false })));
  },
  LISTEN_FAILED: async () => {
    const other = createServer();
    await once(other.listen(0, "127.0.0.1"), "listening");
    try {
      return await listening(moduleOf([]), (other.address() as AddressInfo).port); // TCP has this form
    } finally {
      other.close();
    }
  },
};

for (const [code, start] of Object.entries(cases)) {
  test(`a start or a use that cannot work is refused with ${code}`, async () => {
    const { problems } = await start();
    assert.deepEqual(
      problems.map((problem) => problem.code),
      [code],
    );
  });
}

async function listening(module: Module, port: number): Promise<StartError> {
  const app = await createApp(module, api(), { onStartError: "throw", log: { level: "silent" } });
  return rejection(app.listen({ port, signals: false }));
}
