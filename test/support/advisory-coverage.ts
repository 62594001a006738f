/** A test that is named after an advisory: `P4 Nest CVE-2026-33011: HEAD runs the identical middlewares`. */
export interface NamedTest {
  readonly file: string;
  readonly id: string;
  readonly name: string;
}

/** The tests of one file whose names begin with an id. Names are read from the source, so they are written out there. */
export function readNamedTests(file: string, source: string): NamedTest[] {
  const calls = source.matchAll(/\b(?:test|describe)\w*\(\s*(["'`])(?<id>[A-Z]\d+) (?<rest>(?:(?!\1)[^\\\n]|\\.)*)\1/g);
  return [...calls].map(({ groups }) => ({
    file,
    id: groups?.id ?? "",
    name: `${groups?.id} ${groups?.rest}`,
  }));
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
    else if (!name.startsWith(`${id} ${title}: `))
      gaps.push(`${file}: "${name}" does not begin with "${id} ${title}: "`);
  }
  for (const { id, title, reason } of notApplicable) {
    if (advisories[id] !== title) gaps.push(`SECURITY.md: ${id} is not "${title}"`);
    if (reason.length < 20) gaps.push(`SECURITY.md: ${id} has no reason`);
  }
  return gaps;
}
