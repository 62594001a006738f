import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createLog } from "../../src/log/log.ts";

/** Collects lines, and fails for each while `broken` says how. */
class Destination {
  readonly lines: { readonly level: string; readonly msg: string; readonly dropped?: number }[] = [];
  broken: "throws" | "rejects" | undefined;

  write(line: string): unknown {
    if (this.broken === "throws") throw new Error("the disk is full");
    if (this.broken === "rejects") return Promise.reject(new Error("the disk is full"));
    return this.lines.push(JSON.parse(line)); // the log's own line
  }
}

for (const broken of ["throws", "rejects"] as const) {
  test(`a destination that ${broken} fails no caller, and is told later how many lines it has missed`, async () => {
    const destination = new Destination();
    const log = createLog({ level: "error", destination });
    destination.broken = broken;
    for (let index = 0; index < 5; index++) {
      log.error("lost");
      await turn(); // unhandled, a rejection would fail the test
    }
    destination.broken = undefined;
    log.error("kept");
    log.error("kept too");
    const [report, ...others] = destination.lines;
    assert.deepEqual([report?.level, report?.msg, report?.dropped], ["warn", "log lines were dropped", 5]);
    assert.deepEqual(
      others.map(({ msg }) => msg),
      ["kept", "kept too"],
    );
  });
}

test("a report is for people where the lines are", async () => {
  const lines: string[] = [];
  let broken = true;
  const write = (line: string) => {
    if (broken) throw new Error("the disk is full");
    lines.push(line);
  };
  const log = createLog({ pretty: true, destination: { write } });
  log.info("lost");
  broken = false;
  log.info("kept");
  assert.match(lines.join(""), /^[\d:.]{12} WARN {2}log lines were dropped dropped=1\n[\d:.]{12} INFO {2}kept\n$/);
});
