import assert from "node:assert/strict";
import { test } from "node:test";
import { api, defineModule, inject, provide, token } from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";

class Inner {}
class Outer {
  readonly inner = inject(Inner);
}

const inner = defineModule({ name: "inner", declarations: [Inner], exports: [Inner] });

test("a module sees what its imports export", async () => {
  const app = await createTestApp(defineModule({ name: "app", imports: [inner], declarations: [Outer] }), api());
  assert.equal(app.get(Outer).inner, app.get(Inner));
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
