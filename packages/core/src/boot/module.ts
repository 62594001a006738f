import { explainUnknownNames, namesOf } from "../options.ts";
import type { Class, Key, Provider } from "../token.ts";

/** A class of one's own, or `provide(key, factory)` for anything else. */
export type Declaration = Class | Provider;

export interface ModuleOptions {
  readonly name: string;
  readonly imports?: readonly Module[];
  readonly declarations?: readonly Declaration[];
  readonly exports?: readonly (Key | Module)[];
}

const optionNames = namesOf<ModuleOptions>({ name: true, imports: true, declarations: true, exports: true });

export class Module {
  readonly name: string;
  readonly imports: readonly Module[];
  readonly declarations: readonly Declaration[];
  readonly exports: readonly (Key | Module)[];
  /** About unknown options, which the start reports; undefined when there are none. */
  readonly unknown: string | undefined;

  constructor(options: ModuleOptions) {
    this.name = options.name;
    this.imports = options.imports ?? [];
    this.declarations = options.declarations ?? [];
    this.exports = options.exports ?? [];
    this.unknown = explainUnknownNames(options, optionNames);
  }
}

/** Declares a module: what it imports, what it declares, and what of it others may inject. */
export function defineModule(options: ModuleOptions): Module {
  return Object.freeze(new Module(options));
}
