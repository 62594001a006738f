import { parseArgs } from "node:util";

/** The texts of flags by variable: `--database-url=…` for DATABASE_URL. Reports every other argument. */
export function readFlags(
  names: readonly string[],
  report: (message: string) => void,
  args: readonly string[] = process.argv.slice(2),
): Record<string, string> {
  const flags = new Map(names.map((name) => [`--${name.toLowerCase().replaceAll("_", "-")}`, name]));
  const options = Object.fromEntries([...flags.keys()].map((flag) => [flag.slice(2), { type: "string" } as const]));
  const texts: Record<string, string> = {};
  // not strict: the messages of parseArgs() explain "--", which no flag of an application needs
  for (const token of parseArgs({ args: [...args], options, strict: false, tokens: true }).tokens) {
    if (token.kind === "option-terminator") continue;
    const given = token.kind === "option" ? token.rawName : token.value;
    const name = token.kind === "option" ? flags.get(given) : undefined;
    if (name === undefined)
      report(`${given} is not a flag of this application. It has ${[...flags.keys()].join(", ")}.`);
    else if (!token.value) report(`${given} needs a value.`);
    else texts[name] = token.value;
  }
  return texts;
}
