// Runs one part in its own process, so that a crash or a leak affects no other part.

import type { PartOptions } from "./part.ts";
import { loadPart } from "./parts.ts";

const [id = "", given = "{}"] = process.argv.slice(2);
const options = JSON.parse(given) as Omit<PartOptions, "say">; // run.ts wrote it
const part = await loadPart(id);
process.once("disconnect", () => process.exit(1)); // the runner was ended
const result = await part.run({ ...options, say: (text) => process.send?.({ progress: text }) });
process.send?.({ result }, () => process.exit(0));
