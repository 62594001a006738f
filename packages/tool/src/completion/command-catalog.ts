import { Dto, type Field, type RouteInfo } from "@tenon/core";

/** A flag of a command, as it is typed: `--template=`. */
export interface CatalogFlag {
  /** Without dashes. */
  readonly name: string;
  readonly isSwitch: boolean;
  readonly choices: readonly string[];
  readonly about: string;
}

export interface CatalogCommand {
  /** Undefined for a word that the user chooses. */
  readonly words: readonly (string | undefined)[];
  /** The values of the words that the user chooses, by their index. */
  readonly choices: ReadonlyMap<number, readonly string[]>;
  readonly about: string;
  readonly flags: readonly CatalogFlag[];
}

const commonFlags: readonly CatalogFlag[] = [
  { name: "json", isSwitch: true, choices: [], about: "Print the result as JSON" },
  { name: "help", isSwitch: true, choices: [], about: "Show the help" },
];

/** The commands of the tool itself, read from its route table: `main.ts` gives it the table. */
export class CommandCatalog {
  #list: () => readonly RouteInfo[] = () => [];

  read(table: { list(): readonly RouteInfo[] }): void {
    this.#list = () => table.list();
  }

  commands(): CatalogCommand[] {
    return this.#list().map(toCommand);
  }
}

function toCommand({ path, contract }: RouteInfo): CatalogCommand {
  const segments = path.split("/").filter((segment) => segment !== "");
  const params = contract?.params instanceof Dto ? contract.params.fields : {};
  const choices = segments.flatMap((segment, index) => {
    const field = segment.startsWith(":") ? params[segment.slice(1)] : undefined;
    return field === undefined ? [] : [[index, toChoices(field)] as const];
  });
  return {
    words: segments.map((segment) => (segment.startsWith(":") || segment === "*" ? undefined : segment)),
    choices: new Map(choices),
    about: contract?.summary ?? "",
    flags: [...toFlags(contract?.query), ...commonFlags],
  };
}

function toFlags(query: unknown): CatalogFlag[] {
  if (!(query instanceof Dto)) return [];
  return Object.entries<Field>(query.fields).map(([field, declaration]) => ({
    name: field.replaceAll("_", "-"),
    isSwitch: declaration.kind === "boolean",
    choices: toChoices(declaration),
    about: declaration.description,
  }));
}

function toChoices(field: Field): string[] {
  const { enum: values } = field.toSchema("input");
  return Array.isArray(values) ? values.filter((value) => value !== null).map(String) : [];
}
