import type { AccessFinding } from "@tenon/fuzz";
import { Random } from "../../packages/core/test/support/random.ts";
import { withFolder, withPostgres } from "../../packages/data/test/support/services.ts";
import { applications } from "../access/applications.ts";
import { type Hole, holes } from "../access/holes.ts";
import { AccessRuns } from "../access/run-access.ts";
import { Figures, type Part } from "../part.ts";

/** Found in different ways, of all three applications. */
const shortHoles = [
  "patch-without-policy",
  "author-in-the-changes",
  "list-of-everyone",
  "denied-reveals-the-note",
  "nested-task-of-any-project",
  "batch-checks-the-first-id",
  "cursor-of-another-user",
];

const runs = 2000;
/** In CI the same requests each time: with others a hole may need more of them. */
const shortSeed = 38;
const seeds = 5;

export const part: Part = {
  id: "AC1",
  title: "fuzzAccess on three applications, with 25 seeded holes and without",
  bar: "at most 2,000 requests each: at least 24 of 25 holes found by the expected finding; no finding without a hole",
  needs: ["postgres"],
  run: (options) =>
    withFolder(async (folder) => {
      const all = new AccessRuns(folder);
      const seed = options.seed ?? (options.short ? shortSeed : new Random().seed);
      // all of them: in the short form, a patch that no longer applies would be noticed too late
      for (const hole of holes) await all.prepare(hole.application, hole);
      const alarms: string[] = [];
      const noteAlarms = (found: readonly AccessFinding[]) => alarms.push(...found.map(toText));
      for (const application of Object.keys(applications)) {
        options.say(`${application} without a hole`);
        for (let number = 0; number < (options.short ? 1 : seeds); number++) {
          noteAlarms(await all.find({ application, runs, seed: seed + number }));
        }
        if (options.short) continue;
        await withPostgres(async (database) => noteAlarms(await all.find({ application, runs, seed, database })));
      }

      const chosen = holes.filter(({ name }) => !options.short || shortHoles.includes(name));
      const rows: string[][] = [];
      const missed: Hole[] = [];
      for (const hole of chosen) {
        options.say(`${hole.application}: ${hole.name}`);
        const found = await all.find({ application: hole.application, hole, runs, seed });
        const finding = found.find(({ kind, operation }) => kind === hole.kind && operation === hole.operation);
        if (finding === undefined) missed.push(hole);
        const reason = hole.missed ?? found.map(toText).join("; ");
        rows.push([hole.application, hole.what, finding === undefined ? `missed: ${reason}` : toText(finding)]);
      }
      const figures = new Figures()
        .show("seed", String(seed))
        .show("requests each, at most", runs)
        .exactly("patches", holes.length, 25)
        .show("holes", chosen.length)
        .atLeast("found", chosen.length - missed.length, options.short ? chosen.length : 24)
        .exactly("findings without a hole", alarms.length, 0)
        .table({ columns: ["application", "hole", "finding"], rows });
      if (missed.length > 0) figures.note(`missed: ${missed.map(({ name }) => name).join(", ")}`);
      if (alarms.length > 0) figures.note(alarms.slice(0, 5).join("; "));
      return figures.done();
    }),
};

function toText({ kind, operation, place }: AccessFinding): string {
  return `${kind} ${operation}, ${place}`;
}
