import type { Class, Key, Provider } from "../di/token.ts";

/** A class of one's own, or `provide(key, factory)` for anything else. */
export type Declaration = Class | Provider;

export interface ModuleOptions {
  readonly name: string;
  readonly imports?: readonly Module[];
  readonly declarations?: readonly Declaration[];
  readonly exports?: readonly (Key | Module)[];
}

export class Module {
  readonly name: string;
  readonly imports: readonly Module[];
  readonly declarations: readonly Declaration[];
  readonly exports: readonly (Key | Module)[];

  constructor(options: ModuleOptions) {
    this.name = options.name;
    this.imports = options.imports ?? [];
    this.declarations = options.declarations ?? [];
    this.exports = options.exports ?? [];
  }
}

/** Declares a module: what it imports, what it declares, and what of it others may inject. */
export function defineModule(options: ModuleOptions): Module {
  return Object.freeze(new Module(options));
}
