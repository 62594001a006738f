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
const url = (name: string) => defineModule({ name, declarations: [provide(Url, () => name)], exports: [Url] });
const twin = { Users: class Users {} };
const owned = [
  Users,
  class UsersController {
    readonly users = inject(Users);
    routes() {
      return [{ method: "GET" as const, path: "/", handler: () => 1 }];
    }
  },
];

/** What is wrong, the codes of the problems, and what the first of them says to do. */
const mistakes: readonly [title: string, module: Module, codes: Problem["code"] | Problem["code"][], cure: string][] = [
  [
    "a class that its module does not export",
    defineModule({ name: "posts", imports: [closed], declarations: [Posts] }),
    "UNKNOWN_DEPENDENCY",
    'Add Users to the exports of "users".',
  ],
  [
    "a class that is neither exported nor imported",
    defineModule({ name: "app", imports: [closed, posts] }),
    "UNKNOWN_DEPENDENCY",
    'Add Users to the exports of "users" and "users" to the imports of "posts".',
  ],
  [
    "a module that is not imported",
    defineModule({ name: "app", imports: [users, posts] }),
    "UNKNOWN_DEPENDENCY",
    'Add "users" to the imports of "posts".',
  ],
  [
    "an import of an import",
    defineModule({ name: "app", imports: [defineModule({ name: "middle", imports: [users] })], declarations: [Posts] }),
    "UNKNOWN_DEPENDENCY",
    'Add "users" to the imports of "app".',
  ],
  [
    "a class of the module that imports this one, at any distance",
    defineModule({ name: "app", imports: [between], declarations: [Users] }),
    "UNKNOWN_DEPENDENCY",
    '"app" imports "posts" and cannot be imported there: move Users into a module that both import.',
  ],
  ["a token", app(Client), "UNKNOWN_DEPENDENCY", "Add provide(Url, …) to the declarations of"],
  [
    "a class of that name from another file",
    app(Posts, twin.Users),
    "UNKNOWN_DEPENDENCY",
    'Module "app" declares another Users: import it from the same file in both places.',
  ],
  [
    "a cycle, reported once, from where it closes",
    app(A, B, C),
    "DEPENDENCY_CYCLE",
    'B (module "app") → C (module "app") → B (module "app").',
  ],
  ["a class that injects itself", app(Narcissus), "DEPENDENCY_CYCLE", "Use this in its place."],
  [
    "a factory that throws something that is not an error",
    app(
      provide(Url, () => {
        throw null;
      }),
    ),
    "CONSTRUCTION_FAILED",
    "could not be constructed: null.",
  ],
  ["a class that is declared twice", app(Users, Users), "DUPLICATE_DECLARATION", "Remove one of the two."],
  [
    "a token that is provided twice",
    app(
      provide(Url, () => "a"),
      provide(Url, () => "b"),
    ),
    "DUPLICATE_DECLARATION",
    "Remove one of the two.",
  ],
  [
    "classes in two modules, whose users, exports and routes are not reported too",
    defineModule({
      name: "app",
      imports: [
        defineModule({ name: "one", declarations: owned }),
        defineModule({ name: "two", declarations: owned, exports: [Users] }),
      ],
    }),
    ["DUPLICATE_DECLARATION", "DUPLICATE_DECLARATION"],
    'Users is declared in module "one" and in module "two"',
  ],
  [
    "Log, which is built in",
    app(provide(Log, () => inject(Log))),
    "DUPLICATE_DECLARATION",
    "Remove it; in a test, override it: override: [provide(Log, …)].",
  ],
  [
    "two declarations of one token",
    defineModule({ name: "app", imports: [url("first"), url("second")] }),
    "DUPLICATE_DECLARATION",
    "Stop importing or exporting one of them.",
  ],
  [
    "an export of what an import brings",
    defineModule({ name: "app", imports: [users], exports: [Users] }),
    "EXPORT_NOT_DECLARED",
    'It comes from module "users": export that module instead.',
  ],
  [
    "an export of a module that is not imported",
    defineModule({ name: "app", exports: [users] }),
    "EXPORT_NOT_DECLARED",
    'Add "users" to the imports of "app".',
  ],
  [
    "unknown keys of a module",
    defineModule({ name: "app", ...{ providers: [Users], controllers: [] } }),
    "BAD_MODULE",
    "providers, controllers. It takes name, imports, declarations, exports.",
  ],
];
for (const [title, module, codes, cure] of mistakes) {
  test(`the start reports ${title}, with what to do`, async () => {
    const { problems } = await startError(module);
    assert.deepEqual(
      problems.map(({ code }) => code),
      [codes].flat(),
    );
    const message = String(problems[0]?.message);
    assert.ok(message.includes(cure), message);
  });
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
