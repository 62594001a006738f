import { wireCases } from "../../packages/core/test/advisories/wire-cases.ts";
import { findDifferences } from "../../packages/core/test/support/parser-differences.ts";
import { Random } from "../../packages/core/test/support/random.ts";
import { Figures, type Part } from "../part.ts";

export const part: Part = {
  id: "W4",
  title: "mutated byte streams, cut at random offsets, read by the wire engine and by llhttp",
  bar: "1,000,000 streams: all that is accepted is read alike, a split changes nothing, every refusal of ours is documented",
  needs: [],
  async run({ short, seed: given, say }) {
    const { seed } = new Random(given);
    const streams = short ? 20_000 : 1_000_000;
    const { accepted, refused, problems } = await findDifferences({
      corpus: wireCases.map(({ bytes }) => bytes),
      seed,
      streams,
      onProgress: (done) => say(`${done} of ${streams} streams`),
    });
    const reasons = Object.entries(refused).toSorted(([, a], [, b]) => b - a);
    const figures = new Figures()
      .show("seed", String(seed))
      .show("streams", streams)
      .show("requests read alike", accepted)
      .show("refused by us only", reasons.map(([reason, count]) => `${reason} ${count}`).join(", ") || "none")
      .exactly("differences", problems.length, 0)
      .holds("the comparison saw requests", accepted > streams / 20);
    for (const problem of problems.slice(0, 3)) figures.note(problem.slice(0, 600));
    return figures.done();
  },
};
