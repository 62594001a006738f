import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, Log, provide, StartError, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { LogLines } from "../support/log-lines.ts";

interface Settings {
  readonly greeting: string;
}
const Settings = token<Settings>("Settings");
const settings = provide(Settings, () => ({ greeting: "Hello" }));

class Store {
  readonly id = Symbol();
}

test("inject() works in a field initialiser, a constructor and a factory", async () => {
  class ByField {
    readonly #settings = inject(Settings);
    greet() {
      return `${this.#settings.greeting} by field`;
    }
  }
  class ByConstructor {
    readonly text: string;
    constructor() {
      this.text = `${inject(Settings).greeting} by constructor`;
    }
  }
  const ByFactory = token<string>("ByFactory");
  const app = await createTestApp(
    defineModule({
      name: "app",
      declarations: [
        ByField,
        ByConstructor,
        provide(ByFactory, () => `${inject(Settings).greeting} by factory`),
        settings,
      ],
    }),
    api(),
  );
  assert.equal(app.get(ByField).greet(), "Hello by field");
  assert.equal(app.get(ByConstructor).text, "Hello by constructor");
  assert.equal(app.get(ByFactory), "Hello by factory");
});

test("a declaration is constructed once, for all users in all modules", async () => {
  let made = 0;
  class Counted {
    readonly number = ++made;
  }
  class Left {
    readonly counted = inject(Counted);
  }
  class Right {
    readonly counted = inject(Counted);
    readonly again = inject(Counted);
  }
  const shared = defineModule({ name: "shared", declarations: [Counted], exports: [Counted] });
  const left = defineModule({ name: "left", imports: [shared], declarations: [Left], exports: [Left] });
  const app = await createTestApp(defineModule({ name: "app", imports: [left, shared], declarations: [Right] }), api());
  assert.equal(made, 1);
  assert.equal(app.get(Left).counted, app.get(Right).counted);
  assert.equal(app.get(Right).again, app.get(Counted));
});

test("a factory may give undefined, null or false, and inject() passes it on", async () => {
  const Maybe = token<string | undefined>("Maybe");
  const Flag = token<boolean>("Flag");
  class User {
    readonly maybe = inject(Maybe);
    readonly flag = inject(Flag);
  }
  const declarations = [User, provide(Maybe, () => undefined), provide(Flag, () => false)];
  const app = await createTestApp(defineModule({ name: "app", declarations }), api());
  assert.equal(app.get(User).maybe, undefined);
  assert.equal(app.get(User).flag, false);
  assert.equal(app.get(Maybe), undefined);
});

test("the log that a class injects is named after it", async () => {
  const lines = new LogLines();
  class Postman {
    readonly log = inject(Log);
  }
  const Parcel = token<Log>("Parcel");
  const app = await createTestApp(
    defineModule({ name: "app", declarations: [Postman, provide(Parcel, () => inject(Log))] }),
    api(),
    { log: lines.options },
  );
  app.get(Postman).log.info("from the class");
  app.get(Parcel).info("from the factory");
  app.get(Log).info("from the module");
  assert.deepEqual(
    lines.all.map(({ name, msg }) => [name, msg]),
    [
      ["Postman", "from the class"],
      ["Parcel", "from the factory"],
      ["app", "from the module"],
    ],
  );
});

test("after a construction, failed or not, inject() is outside again", async () => {
  class Broken {
    constructor() {
      throw new Error("broken");
    }
  }
  await assert.rejects(createTestApp(defineModule({ name: "app", declarations: [Broken] }), api()), StartError);
  assert.throws(() => inject(Store), /^StartError: inject\(Store\) was called outside construction\./);
  await createTestApp(defineModule({ name: "app", declarations: [Store] }), api());
  assert.throws(() => inject(Settings), /^StartError: inject\(Settings\) was called outside construction\./);
});

test("inject() in a hook or a handler is outside construction", async () => {
  class Late {
    onStart() {
      inject(Store);
    }
  }
  await assert.rejects(
    createTestApp(defineModule({ name: "app", declarations: [Late, Store] }), api()),
    /^StartError: onStart\(\) of Late \(module "app"\) failed: inject\(Store\) was called outside construction\./,
  );
});
