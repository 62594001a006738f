import assert from "node:assert/strict";
import { test } from "node:test";
import { defineModule, inject, Log, provide, token } from "@tenon/core";
import { startError, startText } from "../support/start-error.ts";

class Store {}

test("a class that is declared twice in one module is reported", async () => {
  assert.equal(await startText(Store, Store), 'Store is declared twice in module "app". Remove one of the two.');
});

test("a token that is provided twice in one module is reported", async () => {
  const Url = token<string>("Url");
  const declarations = [provide(Url, () => "a"), provide(Url, () => "b")];
  assert.equal(await startText(...declarations), 'Url is declared twice in module "app". Remove one of the two.');
});

test("a class in two modules is one mistake: its users, exports and routes are not reported too", async () => {
  class StoreController {
    readonly store = inject(Store);
    routes() {
      return [{ method: "GET" as const, path: "/", handler: () => 1 }];
    }
  }
  const one = defineModule({ name: "one", declarations: [Store, StoreController] });
  const two = defineModule({ name: "two", declarations: [Store, StoreController], exports: [Store] });
  const error = await startError(defineModule({ name: "app", imports: [one, two] }));
  assert.deepEqual(
    error.problems.map((problem) => problem.message.split(",")[0]),
    [
      'Store is declared in module "one" and in module "two"',
      'StoreController is declared in module "one" and in module "two"',
    ],
  );
});

test("Log is built in: a declaration of it is refused instead of being ignored", async () => {
  const silent = provide(Log, () => inject(Log));
  assert.equal(
    await startText(silent),
    'Module "app" declares Log, which every module has without declaring it. Remove it; in a test, override it: override: [provide(Log, …)].',
  );
});

test("an unknown key of defineModule() is reported, with the one that was meant", async () => {
  const known = "It takes name, imports, declarations, exports.";
  const slips: readonly [options: object, text: string][] = [
    [{ declaration: [Store] }, `declaration (did you mean declarations?). ${known}`],
    [{ providers: [Store], controllers: [] }, `providers, controllers. ${known}`],
  ];
  for (const [options, text] of slips) {
    const shop = defineModule({ name: "shop", ...options });
    const error = await startError(defineModule({ name: "app", imports: [shop] }));
    assert.deepEqual(
      error.problems.map(({ code, message }) => [code, message]),
      [["BAD_MODULE", `Module "shop" has an unknown key: ${text}`]],
    );
  }
});
