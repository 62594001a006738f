// `node src/live/server-process.ts <server>`: one server, which sends its port to the parent.
const [, , name = ""] = process.argv;
const { listen } = (await import(`./${name}.ts`)) as { listen(): Promise<number> }; // each file of a server exports it

process.send?.(await listen());
process.on("disconnect", () => process.exit(0));
process.once("SIGUSR2", () => process.exit(0)); // so that a profile is written
