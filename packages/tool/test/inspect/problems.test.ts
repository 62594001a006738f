import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { root } from "../../../../test/support/run.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { runCommand } from "../support/tool.ts";

type Files = Readonly<Record<string, string>>;

/** A sound application. Each mistake changes a line of it. */
const sound: Files = {
  "package.json": '{ "name": "shop", "type": "module" }',
  "src/main.ts": `import { api, createApp } from "@tenon/core";
import { accessLog } from "@tenon/core/middleware";
import { AppModule } from "./app.module.ts";

const app = await createApp(AppModule, api({ middlewares: [accessLog()] }));
await app.listen({ port: 0 });
`,
  "src/app.module.ts": `import { defineConfig, defineModule, string } from "@tenon/core";
import { OrdersModule } from "./orders.module.ts";
import { UsersModule } from "./users.module.ts";

class Config extends defineConfig({ DATABASE_URL: string("default=sqlite::memory:") }) {}
const ConfigModule = defineModule({ name: "config", declarations: [Config], exports: [Config] });
export const AppModule = defineModule({ name: "app", imports: [ConfigModule, OrdersModule, UsersModule] });
`,
  "src/orders.module.ts": `import { defineModule } from "@tenon/core";
import { OrdersController } from "./orders.controller.ts";
import { OrdersService } from "./orders.service.ts";

export const OrdersModule = defineModule({
  name: "orders",
  declarations: [OrdersController, OrdersService],
  exports: [OrdersService],
});
`,
  "src/orders.controller.ts": `import { type Context, inject, type Routes } from "@tenon/core";
import { type Order, OrdersService } from "./orders.service.ts";

export class OrdersController {
  readonly #orders = inject(OrdersService);
  routes(): Routes {
    return [
      { method: "GET", path: "/orders", handler: this.index },
      { method: "GET", path: "/orders/:id", handler: this.show },
    ];
  }
  index(): Order[] {
    return this.#orders.list();
  }
  show(ctx: Context) {
    return ctx.param("id");
  }
}
`,
  "src/orders.service.ts": `export interface Order {
  readonly id: string;
}
export class OrdersService {
  list(): Order[] {
    return [];
  }
}
`,
  "src/users.module.ts": `import { defineModule } from "@tenon/core";
import { OrdersModule } from "./orders.module.ts";
import { Users } from "./users.ts";

export const UsersModule = defineModule({ name: "users", imports: [OrdersModule], declarations: [Users] });
`,
  "src/users.ts": `import { inject, route } from "@tenon/core";
import { OrdersService } from "./orders.service.ts";

export class Users {
  readonly #orders = inject(OrdersService);
  readonly index = route.get("/users", () => this.#orders.list());
  routes() {
    return [this.index];
  }
}
`,
};

interface Shown {
  /** The first line of `tenon check`. The lines of the source follow. */
  readonly shows: string;
  /** Where the first line does not say what to write. */
  readonly hint?: string;
}

interface Case extends Shown {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const cases: readonly Case[] = [
  {
    name: "an import without .ts",
    file: "src/app.module.ts",
    from: "./users.module.ts",
    to: "./users.module",
    shows: "start: src/app.module.ts:3: Cannot find module 'src/users.module' imported from src/app.module.ts",
    hint: "An import names the file with its extension: users.module.ts.",
  },
  {
    name: "an import of .js",
    file: "src/app.module.ts",
    from: "./users.module.ts",
    to: "./users.module.js",
    shows: "start: src/app.module.ts:3: Cannot find module 'src/users.module.js' imported from src/app.module.ts",
    hint: "Node runs the TypeScript files themselves: if the file is users.module.ts, write that name.",
  },
  {
    name: "an import of a folder",
    file: "src/app.module.ts",
    from: "./users.module.ts",
    to: "../src",
    shows:
      "start: src/app.module.ts:3: Directory import 'src' is not supported resolving ES modules imported from src/app.module.ts",
    hint: "An import names a file, not a folder: src/index.ts, or the file in it that you need.",
  },
  {
    name: "an import of an own file without ./",
    file: "src/app.module.ts",
    from: "./users.module.ts",
    to: "users.module.ts",
    shows: "start: src/app.module.ts:3: Cannot find package 'users.module.ts' imported from src/app.module.ts",
    hint: 'The path of an own file begins with "./" or "../", from the file that imports it.',
  },
  {
    name: "an import of a type without `type`",
    file: "src/orders.controller.ts",
    from: "type Order,",
    to: "Order,",
    shows:
      "start: src/orders.controller.ts:2: SyntaxError: The requested module './orders.service.ts' does not provide an export named 'Order'",
    hint: "If Order is a type, write import { type Order }; otherwise check its spelling and that ./orders.service.ts exports it.",
  },
  {
    name: "an import without braces",
    file: "src/app.module.ts",
    from: "{ UsersModule }",
    to: "UsersModule",
    shows:
      "start: src/app.module.ts:3: SyntaxError: The requested module './users.module.ts' does not provide an export named 'default'",
    hint: "./users.module.ts has no default export: import what it exports by name, in braces.",
  },
  {
    name: "a package that is not installed",
    file: "src/users.ts",
    from: "import { inject",
    to: 'import { z } from "zoood";\nimport { inject',
    shows: "start: src/users.ts:1: Cannot find package 'zoood' imported from src/users.ts",
    hint: "The package is not installed: check its spelling, then run npm install zoood.",
  },
  {
    name: "a decorator",
    file: "src/orders.service.ts",
    from: "export class",
    to: "@Injectable()\nexport class",
    shows: "start: src/orders.service.ts:4: SyntaxError: Invalid or unexpected token",
    hint: "Remove @Injectable: Node does not run decorators. The declarations of the module, routes() and inject() replace them.",
  },
  {
    name: "a parameter property",
    file: "src/orders.service.ts",
    from: "  list()",
    to: "  constructor(private readonly name: string) {}\n  list()",
    shows:
      "start: src/orders.service.ts:5: SyntaxError: TypeScript parameter property is not supported in strip-only mode",
    hint: "Node removes types and compiles nothing: declare the field, and write readonly posts = inject(PostsService) for a dependency.",
  },
  {
    name: "an enum",
    file: "src/orders.service.ts",
    from: "export class",
    to: "export enum State { Open, Paid }\nexport class",
    shows: "start: src/orders.service.ts:4: SyntaxError: TypeScript enum is not supported in strip-only mode",
    hint: 'Node removes types and compiles nothing: write a union of texts, type Color = "red" | "green", or an object with as const.',
  },
  {
    name: "modules that import each other",
    file: "src/orders.module.ts",
    from: "import { OrdersController }",
    to: 'import { UsersModule } from "./users.module.ts";\nimport { OrdersController }',
    shows:
      "start: src/users.module.ts:5: ReferenceError: Cannot access 'OrdersModule' before initialization. Files import each other: src/users.module.ts → src/orders.module.ts → src/users.module.ts",
    hint: "If another file defines OrdersModule, the two files import each other: move what both need into a third file.",
  },
  {
    name: "services that inject each other",
    file: "src/orders.service.ts",
    from: "export class OrdersService {",
    to: 'import { inject } from "@tenon/core";\nimport { Users } from "./users.ts";\nexport class OrdersService {\n  readonly users: unknown = inject(Users);',
    shows:
      'start: src/main.ts: OrdersService (module "orders") needs Users, which module "users" declares (OrdersController → OrdersService → Users). "users" imports "orders" and cannot be imported there: move Users into a module that both import.',
  },
  {
    name: "a class created with new",
    file: "src/users.module.ts",
    from: "export const",
    to: "new Users();\nexport const",
    shows:
      "start: src/users.ts:5: StartError: inject(OrdersService) was called outside construction. Call it in a field initialiser, a constructor or a provide() factory, and let the container construct the class: list it in a module's declarations instead of using new.",
  },
  {
    name: "a class that no module declares",
    file: "src/orders.module.ts",
    from: "[OrdersController, OrdersService],\n  exports: [OrdersService]",
    to: "[OrdersController]",
    shows:
      'start: src/main.ts: OrdersController (module "orders") needs OrdersService, which no module declares (OrdersController → OrdersService). Add OrdersService to the declarations of "orders", or import the module that exports it.',
  },
  {
    name: "a class that its module does not export",
    file: "src/orders.module.ts",
    from: "  exports: [OrdersService],\n",
    to: "",
    shows:
      'start: src/main.ts: Users (module "users") needs OrdersService, which module "orders" declares (Users → OrdersService). Add OrdersService to the exports of "orders".',
  },
  {
    name: "a module that is not imported",
    file: "src/users.module.ts",
    from: "imports: [OrdersModule], ",
    to: "",
    shows:
      'start: src/main.ts: Users (module "users") needs OrdersService, which module "orders" declares (Users → OrdersService). Add "orders" to the imports of "users".',
  },
  {
    name: "an option of a module that injects what the module does not import",
    file: "src/app.module.ts",
    from: 'export const AppModule = defineModule({ name: "app", imports: [',
    to: 'import { inject } from "@tenon/core";\nimport { dataModule } from "@tenon/data";\nconst DataModule = dataModule({ database: () => inject(Config).databaseUrl });\nexport const AppModule = defineModule({ name: "app", imports: [DataModule, ',
    shows:
      'start: src/main.ts: dataModule() (module "data") needs Config, which module "config" declares (dataModule() → Config). Add "config" to the imports of "data".',
  },
  {
    name: "a class instead of a module",
    file: "src/users.module.ts",
    from: "imports: [OrdersModule]",
    to: "imports: [Users]",
    shows:
      'start: src/main.ts: Module "users" imports the class Users, not a module. Use what defineModule() returned.',
  },
  {
    name: "a key of another framework's modules",
    file: "src/users.module.ts",
    from: "declarations:",
    to: "providers:",
    shows:
      'start: src/main.ts: Module "users" has an unknown key: providers. It takes name, imports, declarations, exports.',
  },
  {
    name: "a variable that is not set",
    file: "src/app.module.ts",
    from: '"default=sqlite::memory:"',
    to: '"required"',
    shows: "start: src/main.ts: DATABASE_URL is not set. Set it in .env or in the environment.",
  },
  {
    name: "a handler that is called",
    file: "src/orders.controller.ts",
    from: "this.index }",
    to: "this.index() }",
    shows:
      'start: src/main.ts: GET /orders of OrdersController (module "orders") has a list as its handler. Name one, for example handler: this.index, and check the method\'s spelling.',
  },
  {
    name: "a handler that is called and needs its context",
    file: "src/orders.controller.ts",
    from: "this.show }",
    to: "this.show() }",
    shows:
      "start: src/orders.controller.ts:16: routes() of OrdersController (module \"orders\") failed: Cannot read properties of undefined (reading 'param'). LOG_LEVEL=debug shows where it was thrown.",
  },
  {
    name: "a misspelt handler",
    file: "src/orders.controller.ts",
    from: "this.index }",
    to: "this.idnex }",
    shows:
      'start: src/main.ts: GET /orders of OrdersController (module "orders") has no handler. Name one, for example handler: this.index, and check the method\'s spelling.',
  },
  {
    name: "a controller without routes()",
    file: "src/orders.controller.ts",
    from: "routes(): Routes",
    to: "paths(): Routes",
    shows:
      'start: src/main.ts: OrdersController (module "orders") has no routes() method. Add routes() { return [this.index]; }, or give it another name if it is not a controller.',
  },
  {
    name: "two routes of one shape",
    file: "src/orders.controller.ts",
    from: '"/orders/:id", handler: this.show',
    to: '"/orders", handler: this.show',
    shows:
      'start: src/main.ts: GET /orders of OrdersController (module "orders") is already declared by OrdersController (module "orders"). Remove one of them or change its path.',
  },
];

interface TypeMistake extends Shown {
  readonly name: string;
  readonly code: string;
}

const typeMistakes: readonly TypeMistake[] = [
  {
    name: "a missing return",
    code: 'route.get("/orders", { returns: array(Order) }, () => {\n  orders.list();\n});',
    shows:
      "types: src/wrong-0.ts:7: TS2345: Argument of type '\"/orders\"' is not assignable to parameter of type '\"The handler may return nothing: add a `return`, such as `return ctx.fail(404)`\"'.",
  },
  {
    name: "a missing return in endpoint()",
    code: "endpoint({ returns: array(Order) }, () => {\n  orders.list();\n});",
    shows:
      "types: src/wrong-1.ts:7: TS2353: Object literal may only specify known properties, and 'returns' does not exist in type 'Wrong<\"The handler may return nothing: add a `return`, such as `return ctx.fail(404)`\">'.",
  },
  {
    name: "a handler that is called",
    code: 'export const routes: Routes = [{ method: "GET", path: "/orders", handler: orders.list() }];',
    shows: "types: src/wrong-2.ts:7: TS2322: Type 'Order[]' is not assignable to type 'Handler'.",
    hint: "A route names its handler and does not call it: handler: this.index, not this.index().",
  },
  {
    name: "a middleware without its call",
    code: "api({ middlewares: [accessLog] });",
    shows:
      "types: src/wrong-3.ts:7: TS2322: Type '(options?: AccessLogOptions) => MiddlewareFunction' is not assignable to type 'MiddlewareLike'.",
    hint: "Call the function that makes the middleware: accessLog(), not accessLog.",
  },
];
const typeImports = `import { api, array, dto, endpoint, type Routes, route, string } from "@tenon/core";
import { accessLog } from "@tenon/core/middleware";
import { OrdersService } from "./orders.service.ts";

const Order = dto("Order", { id: string("required") });
const orders = new OrdersService();
`;
const tsconfig = {
  extends: join(root, "tsconfig.base.json"),
  compilerOptions: {
    noEmit: true,
    customConditions: ["@tenon/source"],
    noUnusedLocals: false,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  },
  include: ["src/wrong-*.ts"],
};

const folder = temporaryFolder("problems");
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

async function check(name: string, files: Files): Promise<string[]> {
  const place = join(folder, name.replaceAll(/\W+/g, "-"));
  writeFiles(place, { ...sound, ...files });
  const { stdout } = await runCommand("check", `--in=${place}`);
  return stdout.split("\n").filter((line) => line !== "" && !/^ +>? *\d* \|/.test(line)); // the source
}

function compare(lines: readonly string[], { shows, hint }: Shown): void {
  const [first, ...others] = lines;
  const shown = others.find((line) => line.startsWith("    hint: "));
  assert.deepEqual([first, shown], [shows, hint === undefined ? undefined : `    hint: ${hint}`]);
}

/** Documentation too: what someone who is new to the framework reads after each of these mistakes. */
describe("tenon check says what to write after", { concurrency: 2 }, () => {
  test("no mistake: nothing", async () => {
    assert.deepEqual(await check("sound", {}), ["no problems: src/main.ts"]);
  });

  for (const { name, file, from, to, ...expected } of cases) {
    test(name, async () => {
      const text = sound[file] ?? "";
      assert.ok(text.includes(from));
      const lines = await check(name, { [file]: text.replace(from, () => to) });
      compare(lines, expected);
    });
  }
});

describe("tenon check says what to write after a mistake in types:", () => {
  let lines: readonly string[] = [];

  before(async () => {
    const files = typeMistakes.map(({ code }, index) => [`src/wrong-${index}.ts`, `${typeImports}${code}\n`]);
    lines = await check("types", { "tsconfig.json": JSON.stringify(tsconfig), ...Object.fromEntries(files) });
  });

  for (const [index, { name, ...expected }] of typeMistakes.entries()) {
    test(name, () => {
      const first = lines.findIndex((line) => line.startsWith(`types: src/wrong-${index}.ts:7: `));
      const next = lines.findIndex((line, at) => at > first && line.startsWith("types: "));
      compare(lines.slice(first, next === -1 ? undefined : next), expected);
    });
  }
});
