import { ArgumentReader } from "../support/arguments.ts";

/** The texts of flags by variable: `--database-url=…` for DATABASE_URL. Reports every other argument. */
export function readFlags(
  names: readonly string[],
  report: (message: string) => void,
  args: readonly string[] = process.argv.slice(2),
): Record<string, string> {
  const flags = new Map(names.map((name) => [name.toLowerCase().replaceAll("_", "-"), name]));
  const known = [...flags.keys()].map((flag) => `--${flag}`).join(", ");
  const texts: Record<string, string> = {};
  const reader = new ArgumentReader(args);
  for (const argument of reader) {
    const name = argument.kind === "flag" ? flags.get(argument.name) : undefined;
    if (argument.kind !== "flag" || name === undefined) {
      report(`${argument.typed} is not a flag of this application. It has ${known}.`);
      continue;
    }
    const text = argument.value ?? reader.takeValue();
    if (text) texts[name] = text;
    else report(`${argument.typed} needs a value.`);
  }
  return texts;
}
