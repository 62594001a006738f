// The reporter of the test processes: sends what scripts/test.mjs prints and counts.
import { send, toText } from "./channel.mjs";

/** What is covered of a file, and its lines that never ran or have a branch that was never taken. */
const toCoverage = ({ path, lines, branches, ...counts }) => ({
  path,
  lines: [counts.coveredLineCount, counts.totalLineCount],
  branches: [counts.coveredBranchCount, counts.totalBranchCount],
  missed: [...new Set([...lines, ...branches].flatMap(({ line, count }) => (count === 0 ? line : [])))].sort(
    (a, b) => a - b,
  ),
});

/** The totals, which `test:summary` has too. */
const isTotal = (message) => /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [0-9.]+$/.test(message);

const pick = ({ name, nesting, file, line, column, testId }) => ({ name, nesting, file, line, column, testId });

const toEvent = {
  "test:dequeue": ({ data }) => ({ type: "dequeue", ...pick(data) }),
  "test:complete": ({ data }) => ({ type: "complete", ...pick(data) }),
  "test:start": ({ data }) => ({ type: "start", ...pick(data) }),
  "test:pass": ({ data }) => ({ type: "pass", ...pick(data), ms: data.details.duration_ms, skip: data.skip }),
  "test:fail": ({ data }) => ({
    type: "fail",
    ...pick(data),
    ms: data.details.duration_ms,
    isTodo: data.todo !== undefined && data.todo !== false,
    // a suite that failed because of one of its tests adds nothing
    reason: data.details.error.failureType === "subtestsFailed" ? undefined : toText(data.details.error),
  }),
  "test:stdout": ({ data }) => ({ type: "text", text: data.message }),
  "test:stderr": ({ data }) => ({ type: "text", text: data.message }),
  "test:coverage": ({ data }) => ({ type: "coverage", files: data.summary.files.map(toCoverage) }),
  // of no test: an error outside of all tests
  "test:diagnostic": ({ data: { file, message } }) =>
    file === undefined && !isTotal(message) ? { type: "note", text: message } : undefined,
  // with a file it belongs to one of several processes
  "test:summary": ({ data }) => (data.file === undefined ? { type: "summary", counts: data.counts } : undefined),
};

// biome-ignore lint/style/noDefaultExport: --test-reporter takes it
// biome-ignore lint/correctness/useYield: node would write what it yields to the standard output of the tests
export default async function* reportEvents(source) {
  for await (const event of source) {
    const sent = toEvent[event.type]?.(event);
    if (sent !== undefined) send(sent);
  }
}
