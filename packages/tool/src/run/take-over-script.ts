/** What the script of a command needs. */
export interface TakeOver {
  /** The URL of the entry point. */
  readonly entry: string;
  readonly argv: readonly string[];
  /** The name of the program in messages and help. */
  readonly name: string;
  /** Whether it is a command of `DatabaseCommands`, which the modules need not declare. */
  readonly isOfDatabase: boolean;
}

/**
 * A script that starts the entry point and takes over at its `createApp()`: the application's modules run on the
 * command-line platform. It is evaluated in the application's folder, so that its imports find the application's packages
 * and not those of the tool.
 */
export function toTakeOverScript({ entry, argv, name, isOfDatabase }: TakeOver): string {
  return `
import { createApp, defineModule } from "@tenon/core";
import { cli } from "@tenon/core/cli";

const fail = (message) => {
  process.stderr.write(${JSON.stringify(name)} + ": " + message + "\\n");
  process.exit(1);
};
${isOfDatabase ? toDatabaseScript(argv) : "const toModule = (root) => root;"}
const tool = Symbol.for("tenon.tool");
const takeOver = async (root, { config, log, override, stopTimeout }) => {
  delete globalThis[tool];
  delete process.env.TENON_DESCRIBE;
  const given = Object.fromEntries(Object.entries({ config, log, override, stopTimeout }).filter(([, value]) => value !== undefined));
  const app = await createApp(toModule(root), cli({ name: ${JSON.stringify(name)} }), given);
  process.exit(await app.run(${JSON.stringify(argv)}));
};
globalThis[tool] = () => ({ takeOver });
await import(${JSON.stringify(entry)});
fail("the application called no createApp(), or its @tenon/core is too old");
`;
}

/** Adds the database commands where no module declares them. */
function toDatabaseScript(argv: readonly string[]): string {
  const isAsked = /^migrate (?:status|down)\b/.test(argv.join(" ")); // about the database as it is
  return `
import { DatabaseCommands, Migrations } from "@tenon/data";

if (${isAsked}) Migrations.prototype.onStart = async () => {}; // else the start would run the pending migrations first
class Commands extends DatabaseCommands {
  routes() {
    return super.routes().filter(({ path }) => path === ${JSON.stringify(argv.slice(0, 2).join("/"))}); // the application may have the others itself
  }
}
const toModule = (root) => {
  const modules = new Set([root]);
  for (const module of modules) for (const imported of module.imports) modules.add(imported);
  const stores = [...modules].filter(({ exports }) => exports.includes(Migrations));
  if ([...modules].some(({ declarations }) => declarations.includes(DatabaseCommands))) return root;
  if (stores.length === 0) fail("the application has no database: no module of it is a dataModule()");
  if (stores.length > 1) {
    fail("the application has several databases (" + stores.map(({ name }) => name).join(", ") + "): declare DatabaseCommands in a module that imports one of them");
  }
  return defineModule({ name: "tenon-commands", imports: [root, ...stores.filter((one) => one !== root)], declarations: [Commands] });
};
`;
}
