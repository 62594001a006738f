import { type ModuleNames, toReplacements } from "../names.ts";
import { formatCode, replaceNames } from "../templates.ts";
import { addToModule } from "./edit-module.ts";
import type { Field } from "./fields.ts";
import type { Guards } from "./guard-edits.ts";
import type { HandlerKind } from "./handler-kinds.ts";
import { addOwnerToCommandsTest, addOwnerToPagesTest, addOwnerToRoutesTest } from "./owner-tests.ts";
import { swap } from "./swap.ts";

/**
 * The first ref to the users of `tenon g auth`: a row belongs to the user who creates it. Undefined without one, and
 * where some handlers have no guard that would set the user.
 */
export function findOwner(fields: readonly Field[], kinds: Iterable<HandlerKind>, guards: Guards): Field | undefined {
  const served = [...kinds].filter((kind) => kind !== "commands");
  if (served.length === 0 || !served.every((kind) => guards[kind])) return undefined;
  return fields.find(({ target }) => target === "users");
}

/** The middleware that lets only the owner change and delete a row. */
export async function toOwnerFile(names: ModuleNames, { name }: Field): Promise<[path: string, text: string]> {
  const text = `import { type Context, HttpError, inject, type Middleware, type Next } from "@tenon/core";
import { SampleItemsService } from "./sample-items.service.ts";

/** Rejects users other than the owner; a missing row is left to the handler. List it after the guard. */
export class SampleItemOwner implements Middleware {
  readonly contract = { errors: { 403: "Only its owner can change or delete a sample item" } } as const;
  readonly #sampleItems = inject(SampleItemsService);

  async handle(ctx: Context<"/sample-items/:id">, next: Next) {
    const found = await this.#sampleItems.find(ctx.param("id"));
    const isOther = found !== undefined && found.${name} !== ctx.get("user_id");
    if (isOther) throw new HttpError(403, this.contract.errors[403]);
    return next();
  }
}
`;
  return [`src/${names.plural}/${names.plural}.owner.ts`, await formatCode(replaceNames(text, toReplacements(names)))];
}

/** Sets the owner when a row is created, and guards what changes it. The names of the template are in the texts. */
export function addOwner(owner: Field, path: string, text: string): string {
  const edits: readonly (readonly [ending: string, edit: (text: string, owner: Field) => string])[] = [
    ["-items.module.ts", declareOwner],
    [".service.ts", storeOwner],
    [".controller.ts", (code) => guardChanges(takeOwner(code), /update|delete/)],
    [".pages.ts", (code) => guardChanges(takeOwner(code), /edit|update|confirm|delete/)],
    [".commands.ts", takeOwnerFlag],
    ["show.eta", linkForOwner],
    [".commands.test.ts", addOwnerToCommandsTest],
    [".pages.test.ts", addOwnerToPagesTest],
    [".test.ts", addOwnerToRoutesTest],
  ];
  return edits.find(([ending]) => path.endsWith(ending))?.[1](text, owner) ?? text;
}

const ownerClass = { name: "SampleItemOwner", path: "./sample-items.owner.ts" };

function declareOwner(text: string): string {
  return addToModule(text, "declarations", ownerClass) ?? text;
}

function storeOwner(text: string, { name }: Field): string {
  const parameter = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const taken = swap(text, "create(input: ", `create(${parameter}: string, input: `);
  return swap(taken, "created_at: now, updated_at", `${name}: ${parameter}, created_at: now, updated_at`);
}

function takeOwner(text: string): string {
  return swap(
    swap(text, "(_, { body }) => this", "(ctx, { body }) => this"),
    "#sampleItems.create(body)",
    '#sampleItems.create(ctx.get("user_id"), body)',
  );
}

function guardChanges(text: string, handlers: RegExp): string {
  const route = new RegExp(`(this\\.(?:${handlers.source}), middlewares: \\[\\w+)`, "g");
  return text
    .replaceAll(route, (start) => `${start}, ${ownerClass.name}`)
    .replace(
      /^import .* from "\.\/sample-items\.dto\.ts";\n/m,
      (line) => `${line}import { ${ownerClass.name} } from "${ownerClass.path}";\n`,
    );
}

/** A command has no user: a flag names the owner. */
function takeOwnerFlag(text: string, { name }: Field): string {
  return text
    .replace(
      "type Context, endpoint, group, inject, routes",
      "type Context, dto, endpoint, group, inject, routes, string",
    )
    .replace(
      "import { CreateSampleItemDTO",
      (start) => `import { UsersService } from "../users/users.service.ts";\n${start}`,
    )
    .replace(/ {2}readonly #sampleItems = .*\n/, (line) => `${line}  readonly #users = inject(UsersService);\n`)
    .replace(
      /( {6}body: CreateSampleItemDTO,\n) {4}\},\n.*\n/,
      (
        _,
        body: string,
      ) => `      query: dto({ ${name}: string("required").describe("The id of the user who owns it") }),
${body}      errors: { 404: "User not found" },
    },
    async (ctx, { query, body }) => {
      const user = await this.#users.find(query.${name});
      return user === undefined ? ctx.fail(404) : this.#sampleItems.create(user.id, body);
    },
`,
    );
}

function linkForOwner(text: string, { name }: Field): string {
  return text.replace(
    /<a href="[^"]*\/edit">.*\/delete">Delete<\/a> /,
    (links) => `<% if (page.shared.user?.id === data.${name}) { %>${links}<% } %>`,
  );
}
