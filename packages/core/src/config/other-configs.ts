import { type Problem, StartError } from "../errors.ts";
import { isConfigClass } from "../inject/given-config.ts";
import { Module } from "../inject/module.ts";

/** What is wrong with the variables of the config classes that a module and its imports declare, but for one class. */
export function findOtherFaults(root: Module, except: unknown, env: NodeJS.Dict<string> | undefined): Problem[] {
  const modules = new Set([root]); // grows while it is read
  for (const { imports } of modules) {
    // files that import each other make an import undefined, which createApp() reports
    for (const imported of imports) if (imported instanceof Module) modules.add(imported);
  }
  const declared = new Set([...modules].flatMap(({ declarations }) => declarations));
  return [...declared].flatMap((declaration) => {
    if (!isConfigClass(declaration) || declaration === except) return [];
    try {
      void new declaration(env === undefined ? {} : { env });
      return [];
    } catch (error) {
      return error instanceof StartError ? error.problems : []; // createApp() reports an error of a subclass
    }
  });
}
