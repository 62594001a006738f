import { parseArgs } from "node:util";

const help = `Flags:
  --port=<number>  The port to listen on; 0 takes any free one. Takes precedence over PORT
  --host=<host>    The address to listen on. Takes precedence over HOST
  -h, --help       Show this help
`;

/** The flags of the entry points that listen: `npm start -- --port=3000`. Anything else is refused with the help. */
export function readFlagsOrExit(args: readonly string[] = process.argv.slice(2)) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { port: { type: "string" }, host: { type: "string" }, help: { type: "boolean", short: "h" } },
    });
    if (values.help === true) {
      process.stdout.write(help);
      process.exit(0);
    }
    const empty = (["port", "host"] as const).find((name) => values[name] === "");
    if (empty !== undefined) throw new TypeError(`Option '--${empty}' needs a value`);
    return { flags: { PORT: values.port, HOST: values.host } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`Cannot start: ${error.message.replace(/\. .*/s, "")}.\n\n${help}`);
    process.exit(2);
  }
}
