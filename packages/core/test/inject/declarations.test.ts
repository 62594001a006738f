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
    'declarations[0] of module "app" is Log, which every module has without declaring it. Remove it; in a test, override it: override: [provide(Log, …)].',
  );
});

test("what is neither a class nor a provider is reported with its place and its kind", async () => {
  const wrong: readonly [value: unknown, text: string][] = [
    [undefined, "undefined. Most often two files import each other: move what both need into a third file."],
    [null, "null. List a class, or provide(key, factory) for anything else."],
    [() => 1, "the function (anonymous). List a class, or provide(key, factory) for anything else."],
    ["Store", 'the text "Store". List a class, or provide(key, factory) for anything else.'],
    [7n, "the bigint 7. List a class, or provide(key, factory) for anything else."],
    [[Store], "a list. List a class, or provide(key, factory) for anything else."],
    [Object.create(null), "an object. List a class, or provide(key, factory) for anything else."],
    [
      provide(Store, new Store() as never),
      "provide(Store, …) with an object (Store) where its factory belongs. Write provide(Store, () => …).",
    ],
    [
      provide(undefined as never, () => 1),
      "provide() with undefined as its key, which is neither a class nor a token. Most often two files import each other: move what both need into a third file.",
    ],
    [
      provide("Store" as never, () => 1),
      'provide() with the text "Store" as its key, which is neither a class nor a token. List a class, or provide(key, factory) for anything else.',
    ],
  ];
  for (const [value, text] of wrong) {
    const error = await startError(defineModule({ name: "app", declarations: [value as never] })); // no compiler let it pass
    assert.equal(error.message, `declarations[0] of module "app" is ${text}`);
    assert.equal(error.problems[0]?.code, "BAD_DECLARATION");
  }
});

test("an override that is not a provider is reported with its place", async () => {
  const module = defineModule({ name: "app", declarations: [Store] });
  const wrong = [Store, provide(Store, new Store() as never), undefined] as never; // no compiler let it pass
  const error = await startError(module, { override: wrong });
  assert.deepEqual(
    error.problems.map(({ code, message }) => [code, message]),
    [
      ["BAD_OPTION", "override[0] is the class Store. Use provide(key, factory)."],
      [
        "BAD_OPTION",
        "override[1] is provide(Store, …) with an object (Store) where its factory belongs. Write provide(Store, () => …).",
      ],
      [
        "BAD_OPTION",
        "override[2] is undefined. Most often two files import each other: move what both need into a third file.",
      ],
    ],
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
