// Loaded before the test files of a process, for events that the reporter gets too late or not at all.
import { after, beforeEach } from "node:test";
import { pathToFileURL } from "node:url";
import { send, toText } from "./channel.mjs";

// the reporter gets this event only after a turn of the event loop, which a test that hangs or exits may not allow
beforeEach(({ fullName, filePath }) => send({ type: "begin", name: fullName, file: filePath }));

// without isolation node:test is silent about a file that throws after it has declared its first test
after(async () => {
  for (const file of process.argv.slice(1)) {
    await import(pathToFileURL(file).href).catch((error) => send({ type: "broken", file, reason: toText(error) }));
  }
});
