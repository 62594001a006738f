import { BindError, boolean, type Context, dto, type Infer, inject, route, string } from "@tenon/core";
import { validateModuleName } from "../names.ts";
import { oneOf, Prompts } from "../prompts.ts";
import { type ModuleType, moduleTypes } from "../templates.ts";
import { checkApplication } from "./application.ts";
import { generatorFlags, toGeneration } from "./generator-flags.ts";
import { isDoubtful, resolveModuleNames } from "./module-names.ts";
import { ModulesService } from "./modules.service.ts";
import { defaultFields, fieldTypes, findFieldsIssue, parseFields } from "./resource/fields.ts";

const fieldsHelp =
  "Fields of a resource: title:string,done:boolean,note:text?,author:ref,status:enum:draft,published. " +
  `Types: ${fieldTypes.join(", ")}`;
const shared = {
  fields: string().describe(fieldsHelp),
  owner: boolean().describe("Rows of the resource belong to the user who creates them, and are private; needs g auth"),
  public: boolean().describe("Everyone may read and change the rows of the resource, without a login"),
  plural: string().describe("The plural of the name, where the usual rules do not give it"),
  yes: boolean().alias("y").describe("Take the plural of the usual rules, whatever it is"),
  ...generatorFlags,
};

const moduleFlags = {
  type: string("oneof=plain resource")
    .alias("t")
    .describe("A resource has a table, and list, show, create, update and delete"),
  ...shared,
};
const NewModuleFlags = dto({
  name: string().alias("n").describe("Name of the module, which is src/mail for mail; that of a resource is plural"),
  ...moduleFlags,
});
type NewModuleFlags = Infer<typeof NewModuleFlags>;
const NewResourceFlags = dto({
  name: string().alias("n").describe("Name of the resource, singular or plural: blog-post creates src/blog-posts"),
  ...shared,
});

const usage = `tenon g module <name> [--type=<${moduleTypes.join("|")}>]`;
const resourceUsage = "tenon g resource <name> [--fields=title:string,…] [--owner | --public]";
const namePrompt = {
  flag: "name",
  text: "Name of the module",
  validate: (name: string) => validateModuleName(name),
};
const typePrompt = {
  flag: "type",
  text: "Type",
  defaultValue: "plain",
  choices: [
    { value: "plain", hint: "module, controller and service" },
    { value: "resource", hint: "a table, and list, show, create, update and delete" },
  ],
  validate: oneOf(moduleTypes),
};
const fieldsPrompt = {
  flag: "fields",
  text: "Fields, such as title:string,note:text?,status:enum:draft,published",
  defaultValue: "title:string",
  validate: findFieldsIssue,
};

export class ModulesController {
  readonly #modules = inject(ModulesService);
  readonly #prompts = inject(Prompts);

  readonly create = route.command(
    "module",
    { summary: "Add a module, asking for its name and type", query: NewModuleFlags },
    (ctx, { query: flags }) => this.#create(ctx, flags, usage),
  );

  readonly createNamed = route.command(
    "module/:name",
    { summary: "Add a module: a controller and a service, or with --type=resource a table", query: dto(moduleFlags) },
    (ctx, { query: flags }) =>
      this.#create(ctx, { ...flags, name: ctx.param("name"), type: flags.type ?? "plain" }, usage),
  );

  readonly createResource = route.command(
    "resource",
    { summary: "Add a resource, asking for its name", query: NewResourceFlags },
    (ctx, { query: flags }) => this.#create(ctx, { ...flags, type: "resource" }, resourceUsage),
  );

  readonly createNamedResource = route.command(
    "resource/:name",
    { summary: "Add a resource: a table with its routes, pages, commands and tests", query: dto(shared) },
    (ctx, { query: flags }) =>
      this.#create(ctx, { ...flags, name: ctx.param("name"), type: "resource" }, resourceUsage),
  );

  routes() {
    const children = [this.create, this.createNamed, this.createResource, this.createNamedResource];
    return [{ path: "g", children }];
  }

  async #create(ctx: Context, flags: NewModuleFlags, usageLine: string) {
    const generation = toGeneration(ctx, flags);
    if (this.#prompts.isTerminal()) checkApplication(generation.folder); // before the prompts, which would be in vain
    const name = await this.#prompts.resolve(ctx, flags.name, namePrompt, usageLine);
    const type = await this.#prompts.resolve(ctx, flags.type, typePrompt, usageLine);
    const misplaced = (["fields", "owner", "public", "plural"] as const).find((flag) => flags[flag] !== undefined);
    if (type !== "resource" && misplaced !== undefined) {
      throw new BindError([{ path: misplaced, rule: "type", message: "is for --type=resource" }]);
    }
    if (flags.owner === true && flags.public === true) {
      throw new BindError([{ path: "public", rule: "conflict", message: "and --owner exclude each other" }]);
    }
    const plural = type === "resource" ? await this.#resolvePlural(ctx, name, flags) : name;
    const fields =
      type === "resource" ? await this.#prompts.resolve(ctx, flags.fields, fieldsPrompt, usageLine) : undefined;
    return this.#modules.create({
      names: resolveModuleNames({ name, plural, yes: flags.yes }),
      type: type as ModuleType, // oneOf has checked it
      fields: fields === undefined ? defaultFields : parseFields(fields),
      owner: flags.owner === true,
      isPublic: flags.public === true,
      ...generation,
    });
  }

  /** Asks for the plural of a word that has no usual one. */
  async #resolvePlural(ctx: Context, name: string, { plural, yes }: NewModuleFlags): Promise<string | undefined> {
    if (plural !== undefined || yes === true || !isDoubtful(name) || !this.#prompts.isTerminal()) return plural;
    const validate = (typed: string) => validateModuleName(name, typed);
    return this.#prompts.resolve(
      ctx,
      plural,
      { flag: "plural", text: `Plural of ${name}`, defaultValue: name, validate },
      usage,
    );
  }
}
