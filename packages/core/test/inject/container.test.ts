import assert from "node:assert/strict";
import { test } from "node:test";
import { defineModule, inject, type Provider, provide, type Routes, StartError, token } from "@tenon/core";
import { startError, startText } from "../support/start-error.ts";

class Users {}
class Posts {
  readonly users = inject(Users);
}

test("a dependency that is declared elsewhere and not exported is reported with its module", async () => {
  const users = defineModule({ name: "users", declarations: [Users] });
  const declarations = [Posts];
  assert.equal(
    (await startError(defineModule({ name: "posts", imports: [users], declarations }))).message,
    'Posts (module "posts") needs Users, which module "users" declares but does not export (Posts → Users). Add Users to the exports of "users".',
  );
  const posts = defineModule({ name: "posts", declarations });
  assert.equal(
    (await startError(defineModule({ name: "app", imports: [users, posts] }))).message,
    'Posts (module "posts") needs Users, which module "users" declares but does not export (Posts → Users). Add Users to the exports of "users" and "users" to the imports of "posts".',
  );
});

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

test("a dependency of a module that is not imported is reported with that module", async () => {
  const users = defineModule({ name: "users", declarations: [Users], exports: [Users] });
  const posts = defineModule({ name: "posts", declarations: [Posts] });
  const error = await startError(defineModule({ name: "app", imports: [users, posts] }));
  assert.equal(
    error.message,
    'Posts (module "posts") needs Users, which module "users" exports but "posts" does not import (Posts → Users). Add "users" to the imports of "posts".',
  );
});

test("the cure for a missing token is a provide()", async () => {
  const Url = token<string>("Url");
  class Client {
    readonly url = inject(Url);
  }
  assert.equal(
    await startText(Client),
    'Client (module "app") needs Url, which no module declares (Client → Url). Add provide(Url, …) to the declarations of "app", or import the module that exports it.',
  );
});

test("another class of the same name is pointed out: it was imported from another file", async () => {
  const twin = { Users: class Users {} };
  assert.equal(
    await startText(Posts, twin.Users),
    'Posts (module "app") needs Users, which no module declares (Posts → Users). Module "app" declares another Users: import it from the same file in both places.',
  );
});

test("a cycle is reported from where it closes, with the modules, and once", async () => {
  class A {
    readonly b: unknown = inject(B);
  }
  class B {
    readonly c: unknown = inject(C);
  }
  class C {
    readonly b = inject(B);
  }
  assert.equal(
    await startText(A, B, C),
    'Dependencies form a cycle: B (module "app") → C (module "app") → B (module "app"). Move what they share into a service that both inject.',
  );
});

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

test("a class that injects itself is reported", async () => {
  class Narcissus {
    readonly self: unknown = inject(Narcissus);
  }
  assert.equal(await startText(Narcissus), 'Narcissus (module "app") injects itself. Use this in its place.');
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

test("a factory that throws something that is not an error is reported too", async () => {
  const Odd = token<string>("Odd");
  const text = await startText(
    provide(Odd, () => {
      throw null;
    }),
  );
  assert.equal(text, 'Odd (module "app") could not be constructed: null. LOG_LEVEL=debug shows where it was thrown.');
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
