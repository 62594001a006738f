import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Class,
  defineModule,
  inject,
  Log,
  type Module,
  type Problem,
  type Provider,
  provide,
  type Routes,
  StartError,
  token,
} from "@tenon/core";
import { startError, startText } from "../support/start-error.ts";

class Users {}
class Posts {
  readonly users = inject(Users);
}
const Url = token<string>("Url");
class Client {
  readonly url = inject(Url);
}
class Narcissus {
  readonly self: unknown = inject(Narcissus);
}
class A {
  readonly b: unknown = inject(B);
}
class B {
  readonly c: unknown = inject(C);
}
class C {
  readonly b = inject(B);
}

const app = (...declarations: readonly (Class | Provider)[]) => defineModule({ name: "app", declarations });
const closed = defineModule({ name: "users", declarations: [Users] });
const users = defineModule({ name: "users", declarations: [Users], exports: [Users] });
const posts = defineModule({ name: "posts", declarations: [Posts] });
const between = defineModule({ name: "between", imports: [posts] });
const middle = defineModule({ name: "middle", imports: [users] });
const importing = (...imports: readonly Module[]) => defineModule({ name: "app", imports });
const url = (name: string) => defineModule({ name, declarations: [provide(Url, () => name)], exports: [Url] });
const twin = { Users: class Users {} };
class UsersController {
  readonly users = inject(Users);
  routes() {
    return [{ method: "GET" as const, path: "/", handler: () => 1 }];
  }
}
const owner = (name: string) => defineModule({ name, declarations: [Users, UsersController], exports: [Users] });
const fail = (value: unknown) => {
  throw value;
};

/** Applications that cannot start, by the code of the problem, with what its message says to do. */
const mistakes: Partial<Record<Problem["code"], readonly (readonly [cure: string, module: Module])[]>> = {
  UNKNOWN_DEPENDENCY: [
    ['Add Users to the exports of "users".', defineModule({ name: "a", imports: [closed], declarations: [Posts] })],
    ['the exports of "users" and "users" to the imports of "posts".', importing(closed, posts)],
    ['Add "users" to the imports of "posts".', importing(users, posts)],
    // imports are not passed on
    ['Add "users" to the imports of "a".', defineModule({ name: "a", imports: [middle], declarations: [Posts] })],
    // what imports a module is not seen by it, at any distance
    [
      "move Users into a module that both import.",
      defineModule({ name: "a", imports: [between], declarations: [Users] }),
    ],
    ["Add provide(Url, …) to the declarations of", app(Client)],
    ['Add Users to the declarations of "app",', app(Posts, twin.Users)],
  ],
  DEPENDENCY_CYCLE: [
    ['B (module "app") → C (module "app") → B (module "app").', app(A, B, C)],
    ["Use this in its place.", app(Narcissus)],
  ],
  CONSTRUCTION_FAILED: [["could not be constructed: null.", app(provide(Url, () => fail(null)))]],
  DUPLICATE_DECLARATION: [
    ['Users is declared twice in module "app". Remove one of the two.', app(Users, Users)],
    [
      "Url is declared twice",
      app(
        provide(Url, () => "a"),
        provide(Url, () => "b"),
      ),
    ],
    // their users, exports and routes are not reported too
    ['Users is declared in module "one" and in module "two"', importing(owner("one"), owner("two"))],
    ["in a test, override it: override: [provide(Log, …)].", app(provide(Log, () => inject(Log)))],
    ["Stop importing or exporting one of them.", importing(url("first"), url("second"))],
  ],
  EXPORT_NOT_DECLARED: [
    ["or export the module that it comes from.", defineModule({ name: "a", imports: [users], exports: [Users] })],
    ['Add "users" to the imports of "a".', defineModule({ name: "a", exports: [users] })],
  ],
  BAD_MODULE: [
    ["providers, controllers. It takes name,", defineModule({ name: "a", ...{ providers: [], controllers: [] } })],
  ],
};
for (const [code, rows] of Object.entries(mistakes)) {
  for (const [cure, module] of rows) {
    test(`${code} says what to do: ${cure}`, async () => {
      const { problems } = await startError(module);
      assert.deepEqual(new Set(problems.map((problem) => problem.code)), new Set([code]));
      const message = String(problems[0]?.message);
      assert.ok(message.includes(cure), message);
    });
  }
}

test("a factory that refuses its options is reported with its own message, beside all other mistakes", async () => {
  const refuse = () => {
    throw new StartError([{ code: "BAD_OPTION", message: "The colour is 7. It takes a name." }]);
  };
  assert.equal(
    await startText(provide(Users, refuse), Posts, Refused),
    `2 problems:
  1. The colour is 7. It takes a name.
  2. Refused (module "app") could not be constructed: no. LOG_LEVEL=debug shows where it was thrown.`,
  );
});

class Refused {
  constructor() {
    throw new Error("no");
  }
}

/** Each injects the next; `last` makes the last one. */
function createChain(length: number, last: () => unknown): Provider[] {
  const tokens = Array.from({ length }, (_, index) => token<unknown>(`T${index}`));
  return tokens.map((key, index) => {
    const next = tokens[index + 1];
    return provide(key, () => (next === undefined ? last() : { next: inject(next) })); // not empty
  });
}

test("of a long chain the first and the last few names are shown", async () => {
  const nobody = (count: number) => startText(...createChain(count, () => inject(token("Nobody"))));
  const cure = 'Add provide(Nobody, …) to the declarations of "app", or import the module that exports it.';
  assert.equal(
    await nobody(9),
    `T8 (module "app") needs Nobody, which no module declares (T0 → T1 → T2 → T3 → T4 → T5 → T6 → T7 → T8 → Nobody). ${cure}`,
  );
  assert.equal(
    await nobody(10),
    `T9 (module "app") needs Nobody, which no module declares (T0 → T1 → T2 → … 5 more … → T8 → T9 → Nobody). ${cure}`,
  );
});

test("a constructor that throws is reported with the chain that needed it, and its error is the cause", async () => {
  const cause = new TypeError("no host.");
  class Mailer {
    constructor() {
      throw cause;
    }
  }
  class Signup {
    readonly mailer = inject(Mailer);
  }
  const error = await startError(defineModule({ name: "app", declarations: [Signup, Mailer] }));
  assert.equal(
    error.message,
    'Mailer (module "app") could not be constructed (Signup → Mailer): no host. LOG_LEVEL=debug shows where it was thrown.',
  );
  assert.equal(error.cause, cause);
});

test("what depends on a mistake is not reported as another one, however it touches it", async () => {
  const touches: ((users: Users) => unknown)[] = [
    (users) => String(users),
    (users) => Object.assign(users, { name: "x" }),
    (users) => "name" in users,
    (users) => Object.keys(users),
    (users) => Reflect.deleteProperty(users, "name"),
    (users) => (users as () => unknown)(), // the use of an injected function
    (users) => new (users as new () => unknown)(), // the use of an injected class
    (users) => users,
  ];
  const declarations = touches.map((touch, index) => provide(token(`User${index}`), () => touch(inject(Users))));
  const error = await startError(defineModule({ name: "app", declarations }));
  assert.deepEqual(
    error.problems.map((problem) => problem.message.split(",")[0]),
    touches.map((_, index) => `User${index} (module "app") needs Users`),
  );
});

test("routes that depend on a mistake are not reported as another one", async () => {
  class Guard {
    readonly users = inject(Users);
    handle() {}
  }
  class ReadingController {
    readonly #users = inject(Users) as { list?: () => unknown };
    routes(): Routes {
      return [{ method: "GET", path: "/", handler: this.#users.list as never }]; // read while it is unusable
    }
  }
  class GuardedController {
    readonly #guard = inject(Guard);
    routes(): Routes {
      return [{ method: "GET", path: "/guarded", handler: () => 1, middlewares: [this.#guard] }];
    }
  }
  const error = await startError(defineModule({ name: "app", declarations: [ReadingController, GuardedController] }));
  assert.deepEqual(
    error.problems.map((problem) => problem.message.split(",")[0]),
    ['ReadingController (module "app") needs Users', 'GuardedController (module "app") needs Guard'],
  );
});
