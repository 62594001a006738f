import { writeSync } from "node:fs";
import { inspect } from "node:util";

/**
 * Sends an event of a test process to scripts/test.mjs, as a line of JSON on file descriptor 3; standard output and
 * standard error stay with the tests. Written synchronously: buffered lines would be lost when a test exits the process.
 */
export function send(event) {
  let rest = Buffer.from(`${JSON.stringify(event)}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSync(3, rest));
}

export function toText(error) {
  const reason = error.code === "ERR_TEST_FAILURE" ? error.cause : error;
  return typeof reason === "string" ? reason : inspect(reason);
}
