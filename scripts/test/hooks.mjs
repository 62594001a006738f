// Loaded before the test files of a process, for what the reporter is not told, or too late.
import { after, beforeEach } from "node:test";
import { pathToFileURL } from "node:url";
import { send, toText } from "./channel.mjs";

// the reporter hears of it only after the test has let the event loop run, which one that hangs or exits may not do
beforeEach(({ fullName, filePath }) => send({ type: "begin", name: fullName, file: filePath }));

// without isolation node:test is silent about a file that throws after it has declared its first test
after(async () => {
  for (const file of process.argv.slice(1)) {
    await import(pathToFileURL(file).href).catch((error) => send({ type: "broken", file, reason: toText(error) }));
  }
});
