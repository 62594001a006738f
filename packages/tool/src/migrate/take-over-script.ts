/**
 * A script that starts the entry point and takes over at its `createApp()`: the application's modules run on the
 * command-line platform, together with the database commands where no module declares them. It is evaluated in the
 * application's folder, so that its imports find the application's packages and not those of the tool.
 */
export function toTakeOverScript(entry: string, argv: readonly string[]): string {
  const isAsked = /^migrate (?:status|down)\b/.test(argv.join(" ")); // about the database as it is
  return `
import { createApp, defineModule } from "@tenon/core";
import { cli } from "@tenon/core/cli";
import { DatabaseCommands, Migrations } from "@tenon/data";

const fail = (message) => {
  process.stderr.write("tenon: " + message + "\\n");
  process.exit(1);
};
const takeOver = Symbol.for("tenon.take-over");
if (${isAsked}) Migrations.prototype.onStart = async () => {}; // else the start would run the pending migrations first
globalThis[takeOver] = async (root, { config, log, override, stopTimeout }) => {
  delete globalThis[takeOver];
  delete process.env.TENON_DESCRIBE;
  const modules = new Set([root]);
  for (const module of modules) for (const imported of module.imports) modules.add(imported);
  const stores = [...modules].filter(({ exports }) => exports.includes(Migrations));
  const isDeclared = [...modules].some(({ declarations }) => declarations.includes(DatabaseCommands));
  if (!isDeclared && stores.length === 0) fail("the application has no database: no module of it is a dataModule()");
  if (!isDeclared && stores.length > 1) {
    fail("the application has several databases (" + stores.map(({ name }) => name).join(", ") + "): declare DatabaseCommands in a module that imports one of them");
  }
  const module = isDeclared ? root : defineModule({ name: "tenon-commands", imports: [root, ...stores.filter((one) => one !== root)], declarations: [DatabaseCommands] });
  const given = Object.fromEntries(Object.entries({ config, log, override, stopTimeout }).filter(([, value]) => value !== undefined));
  const app = await createApp(module, cli({ name: "tenon" }), given);
  process.exit(await app.run(${JSON.stringify(argv)}));
};
await import(${JSON.stringify(entry)});
fail("the application called no createApp(), or its @tenon/core is too old");
`;
}
