// `node src/open-load-process.ts <options.json>`: one load, on a core of its own.
import { loadOpenly } from "./open-load.ts";

const [, , options = "{}"] = process.argv;
console.log(JSON.stringify(await loadOpenly(JSON.parse(options))));
