import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";

// Run with files, as a process. Imports one after the other, each in its own folder, and prints a line for each of them:
// one process for all examples takes a tenth of the time of one process for each.
for (const file of process.argv.slice(2)) {
  process.chdir(dirname(file));
  const failure = await import(pathToFileURL(file).href).then(
    () => "",
    (error: unknown) => inspect(error),
  );
  process.stdout.write(`\nexample ${JSON.stringify({ file, failure })}\n`);
}
