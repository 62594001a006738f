import { explainUnknownNames, namesOf } from "../support/options.ts";
import type { ConfigKeys, configKeys } from "./given-config.ts";
import type { Class, Key, Provider } from "./token.ts";

/** A class of one's own, or `provide(key, factory)` for anything else. */
export type Declaration = Class | Provider;

export interface ModuleOptions<
  Imports extends readonly Module[] = readonly Module[],
  Declarations extends readonly Declaration[] = readonly Declaration[],
> {
  readonly name: string;
  readonly imports?: Imports | readonly Module[];
  readonly declarations?: Declarations | readonly Declaration[];
  readonly exports?: readonly (Key | Module)[];
}

const optionNames = namesOf<ModuleOptions>({ name: true, imports: true, declarations: true, exports: true });

declare const config: unique symbol;

/** `Config` has the values of the config classes that it declares and imports: `createApp()` takes them as `config`. */
export class Module<out Config = unknown> {
  /** Never present at run time: it carries Config for inference. */
  declare readonly [config]?: Config;
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
export function defineModule<
  const Imports extends readonly Module[] = [],
  const Declarations extends readonly Declaration[] = [],
>(options: ModuleOptions<Imports, Declarations>): Module<ConfigIn<Imports | Declarations>> {
  return Object.freeze(new Module<ConfigIn<Imports | Declarations>>(options));
}

type Takes<Part> = Part extends { readonly [configKeys]: ConfigKeys<infer Config> }
  ? (config: Config) => void
  : Part extends Module<infer Config>
    ? (config: Config) => void
    : never;

/** The values of all config classes among modules and declarations; unknown without one. */
export type ConfigIn<Parts extends readonly unknown[]> =
  Takes<Parts[number]> extends (config: infer Config) => void ? Config : never;
