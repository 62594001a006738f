import { HttpError } from "@tenon/core";
import { findNearest } from "@tenon/core/internal";
import type { AppDescription, InjectionDescription, ModuleDescription } from "@tenon/devtools/internal";
import { toSource } from "../run/source.ts";

/** A module that sees something, and why. */
export interface Sight {
  readonly module: string;
  /** `imports "posts", which exports it` */
  readonly because: string;
}

/** What is known of a class or token that one module declares. */
export interface Explanation {
  readonly name: string;
  readonly kind: "class" | "token" | "builtin" | "undeclared";
  /** Undefined where no module declares it. */
  readonly module?: string;
  readonly source?: string;
  readonly uses: readonly string[];
  readonly usedBy: readonly string[];
  readonly visibleIn: readonly Sight[];
}

/** One for each module that declares the name. Throws when the application does not know it, with the nearest name. */
export function explain(description: AppDescription, name: string, folder: string): Explanation[] {
  const { modules, injections } = description;
  const declared = modules.flatMap((module) =>
    module.declarations
      .filter((declaration) => declaration.name === name)
      .map(({ kind, ...written }): Explanation => {
        const source = toSource(written, folder);
        return {
          name,
          kind,
          module: module.name,
          ...(source === undefined ? {} : { source }),
          uses: [...new Set(injections.filter((one) => one.user === name && one.module === module.name).map(toUse))],
          usedBy: toUsers(injections.filter((one) => one.name === name && one.from === module.name)),
          visibleIn: findSights(modules, name, module),
        };
      }),
  );
  return declared.length > 0 ? declared : [explainUndeclared(modules, injections, name)];
}

function explainUndeclared(
  modules: readonly ModuleDescription[],
  injections: readonly InjectionDescription[],
  name: string,
): Explanation {
  const usedBy = toUsers(injections.filter((one) => one.name === name));
  if (usedBy.length > 0) return { name, kind: "builtin", uses: [], usedBy, visibleIn: [] };
  const own = injections.filter((one) => one.user === name);
  if (own.length > 0) return { name, kind: "undeclared", uses: [...new Set(own.map(toUse))], usedBy, visibleIn: [] };
  const known = [...modules.flatMap(({ declarations }) => declarations), ...injections].map((one) => one.name);
  const nearest = findNearest(name, new Set([...known, ...injections.map(({ user }) => user)]));
  const hint = nearest === undefined ? "tenon explain without a name lists them." : `Did you mean ${nearest}?`;
  throw new HttpError(404, `no module declares or uses ${JSON.stringify(name)}. ${hint}`);
}

function toUse({ name, from }: InjectionDescription): string {
  return from === undefined ? name : `${name} (module "${from}")`;
}

function toUsers(injections: readonly InjectionDescription[]): string[] {
  return [...new Set(injections.map(({ user, module }) => `${user} (module "${module}")`))];
}

function findSights(modules: readonly ModuleDescription[], name: string, home: ModuleDescription): Sight[] {
  const exporters = modules.filter(({ exports }) =>
    exports.some((key) => key.name === name && key.module === home.name),
  );
  const exporting = new Map(exporters.map((module) => [module.name, module]));
  return modules.flatMap((module): Sight[] => {
    if (module === home) return [{ module: module.name, because: "declares it" }];
    const chain = findChain(module, home.name, exporting);
    return chain === undefined ? [] : [{ module: module.name, because: toReason(chain) }];
  });
}

/** The shortest way from an importer to the module that declares it, over modules that export it. */
function findChain(
  from: ModuleDescription,
  home: string,
  exporting: ReadonlyMap<string, ModuleDescription>,
): readonly string[] | undefined {
  const paths = new Map<ModuleDescription, readonly string[]>([[from, []]]); // grows while it is read
  for (const [{ imports }, path] of paths) {
    for (const name of imports) {
      const imported = exporting.get(name);
      if (name === home && imported !== undefined) return [...path, name];
      if (imported !== undefined && !paths.has(imported)) paths.set(imported, [...path, name]);
    }
  }
  return undefined;
}

function toReason(chain: readonly string[]): string {
  const [first = "", ...rest] = chain.map((name) => `"${name}"`);
  return [`imports ${first}`, ...rest.map((name) => `which exports ${name}`), "which exports it"].join(", ");
}

/** For people. */
export function toText({ name, kind, module, source, uses, usedBy, visibleIn }: Explanation): string {
  const place = source === undefined ? "" : ` (${source})`;
  const head = {
    class: `${name}: declared in module "${module}"${place}`,
    token: `${name}: provided by module "${module}"`,
    builtin: `${name}: every module sees it without declaring it`,
    undeclared: `${name}: no module declares it; it is made where it is used, as a middleware`,
  };
  const sights = visibleIn.map((sight) => `module "${sight.module}": ${sight.because}`);
  return [head[kind], ...toList("uses", uses), ...toList("used by", usedBy), ...toList("visible in", sights)].join(
    "\n",
  );
}

function toList(title: string, items: readonly string[]): string[] {
  return [`  ${title}:${items.length === 0 ? " nothing" : ""}`, ...items.map((item) => `    ${item}`)];
}
