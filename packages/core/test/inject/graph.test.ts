import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, provide, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { startError } from "../support/start-error.ts";

class Inner {}
class Outer {
  readonly inner = inject(Inner);
}

const inner = defineModule({ name: "inner", declarations: [Inner], exports: [Inner] });

test("a module sees its own declarations, whatever their order", async () => {
  const app = await createTestApp(defineModule({ name: "app", declarations: [Outer, Inner] }), api());
  assert.equal(app.get(Outer).inner, app.get(Inner));
});

test("a module sees what its imports export", async () => {
  const app = await createTestApp(defineModule({ name: "app", imports: [inner], declarations: [Outer] }), api());
  assert.equal(app.get(Outer).inner, app.get(Inner));
});

test("a module does not see what its imports keep to themselves", async () => {
  const closed = defineModule({ name: "closed", declarations: [Inner] });
  const error = await startError(defineModule({ name: "app", imports: [closed], declarations: [Outer] }));
  assert.match(
    error.message,
    /^Outer \(module "app"\) needs Inner, which module "closed" declares but does not export/,
  );
});

test("imports are not passed on: the imports of an import stay its own", async () => {
  const middle = defineModule({ name: "middle", imports: [inner] });
  const error = await startError(defineModule({ name: "app", imports: [middle], declarations: [Outer] }));
  assert.match(error.message, /which module "inner" exports but "app" does not import/);
});

test("a module that re-exports another passes on what that one exports", async () => {
  const middle = defineModule({ name: "middle", imports: [inner], exports: [inner] });
  const top = defineModule({ name: "top", imports: [middle], exports: [middle] });
  const app = await createTestApp(defineModule({ name: "app", imports: [top], declarations: [Outer] }), api());
  assert.equal(app.get(Outer).inner, app.get(Inner));
});

test("what is reached on two ways is one instance and no duplicate", async () => {
  const left = defineModule({ name: "left", imports: [inner], exports: [inner] });
  const right = defineModule({ name: "right", imports: [inner], exports: [inner] });
  const app = await createTestApp(
    defineModule({ name: "app", imports: [left, right, inner], declarations: [Outer] }),
    api(),
  );
  assert.equal(app.get(Outer).inner, app.get(Inner));
});

test("an importing module is not seen by what it imports", async () => {
  const needy = defineModule({ name: "needy", declarations: [Outer] });
  const error = await startError(
    defineModule({ name: "app", imports: [needy], declarations: [Inner], exports: [Inner] }),
  );
  const cure = '"app" imports "needy" and cannot be imported there: move Inner into a module that both import.';
  assert.equal(
    error.message,
    `Outer (module "needy") needs Inner, which module "app" declares (Outer → Inner). ${cure}`,
  );
  const between = defineModule({ name: "between", imports: [needy] });
  const further = await startError(defineModule({ name: "app", imports: [between], declarations: [Inner] }));
  assert.equal(further.message, error.message);
});

test("two modules that each provide a token are two worlds, each with its own", async () => {
  const Url = token<string>("Url");
  class First {
    readonly url = inject(Url);
  }
  class Second {
    readonly url = inject(Url);
  }
  const first = defineModule({ name: "first", declarations: [First, provide(Url, () => "one")], exports: [First] });
  const second = defineModule({ name: "second", declarations: [Second, provide(Url, () => "two")], exports: [Second] });
  const app = await createTestApp(defineModule({ name: "app", imports: [first, second] }), api());
  assert.deepEqual([app.get(First).url, app.get(Second).url], ["one", "two"]);
});

test("a module that sees two declarations of one token is reported with both", async () => {
  const Url = token<string>("Url");
  const first = defineModule({ name: "first", declarations: [provide(Url, () => "one")], exports: [Url] });
  const second = defineModule({ name: "second", declarations: [provide(Url, () => "two")], exports: [Url] });
  const error = await startError(defineModule({ name: "app", imports: [first, second] }));
  assert.equal(
    error.message,
    'Module "app" sees two of Url: one of module "first", one of module "second". Stop importing or exporting one of them.',
  );
});

test("an export of what an import brings is led to the export of that module", async () => {
  const error = await startError(defineModule({ name: "app", imports: [inner], exports: [Inner] }));
  assert.equal(
    error.message,
    'Module "app" exports Inner but does not declare it. It comes from module "inner": export that module instead.',
  );
});

test("an export of a module that is not imported is reported", async () => {
  const error = await startError(defineModule({ name: "app", exports: [inner] }));
  assert.equal(
    error.message,
    'Module "app" exports module "inner" but does not import it. Add "inner" to the imports of "app".',
  );
});

test("a class in the imports is a mistake", async () => {
  const { problems } = await startError(defineModule({ name: "app", imports: [Inner as never] })); // no compiler let it pass
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["BAD_MODULE"],
  );
});
