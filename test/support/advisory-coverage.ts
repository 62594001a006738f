/** A test that names an advisory: `HEAD runs the identical middlewares (P4, Nest CVE-2026-33011)`. */
export interface NamedTest {
  readonly file: string;
  readonly id: string;
  readonly name: string;
}

/** The tests of one file whose names have an id, first or in parentheses. Names are read from the source text. */
export function readNamedTests(file: string, source: string): NamedTest[] {
  const calls = source.matchAll(/\b(?:test|describe)\w*\(\s*(["'`])(?<name>(?:(?!\1)[^\\\n]|\\.)*)\1/g);
  return [...calls].flatMap(({ groups }) => {
    const name = groups?.name ?? "";
    const id = /(?:^|\()([A-Z]\d+)\b/.exec(name)?.[1];
    return id === undefined ? [] : [{ file, id, name }];
  });
}

export interface NotApplicable {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
}

/** The rows of the table under the heading "Not applicable". */
export function readNotApplicable(markdown: string): NotApplicable[] {
  const section = markdown.split(/^#+ /m).find((part) => part.startsWith("Not applicable\n")) ?? "";
  return [...section.matchAll(/^\| ([A-Z]\d+) \| ([^|]*) \| ([^|]*) \|$/gm)].map(
    ([, id = "", title = "", reason = ""]) => ({
      id,
      title: title.trim(),
      reason: reason.trim(),
    }),
  );
}

/** The CVE and GHSA ids and the commits in a text, sorted. */
function referencesIn(text: string): string {
  const references = text.match(/CVE-\d+-\d+|GHSA(?:-[0-9a-z]{4}){3}|\b(?=[a-f]*\d)[0-9a-f]{7,9}\b/g) ?? [];
  return references.toSorted().join(" ");
}

/** What is wrong, in words: an advisory with neither a test nor a reason, and names that fit none. */
export function findGaps(
  advisories: Readonly<Record<string, string>>,
  tests: readonly NamedTest[],
  notApplicable: readonly NotApplicable[],
): string[] {
  const gaps: string[] = [];
  for (const [id, title] of Object.entries(advisories)) {
    const isTested = tests.some((test) => test.id === id);
    const excused = notApplicable.filter((entry) => entry.id === id);
    if (!isTested && excused.length === 0) gaps.push(`${id} ${title} has neither a test nor a reason not to`);
    if (isTested && excused.length > 0) gaps.push(`${id} has a test and is called not applicable`);
  }
  for (const { file, id, name } of tests) {
    const title = advisories[id];
    if (title === undefined) gaps.push(`${file}: ${id} is not on the list`);
    else if (referencesIn(name) !== referencesIn(title))
      gaps.push(`${file}: "${name}" does not name ${id} with "${title}"`);
  }
  for (const { id, title, reason } of notApplicable) {
    if (advisories[id] !== title) gaps.push(`SECURITY.md: ${id} is not "${title}"`);
    if (reason.length < 20) gaps.push(`SECURITY.md: ${id} has no reason`);
  }
  return gaps;
}
