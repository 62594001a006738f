import { withArticle } from "../plural.ts";
import { toFormSample, toSample } from "./field-code.ts";
import { type Field, findLead, findRequired, toLabel } from "./fields.ts";
import { swap } from "./swap.ts";

export function editRoutesTest(text: string, fields: readonly Field[], hasReferences: boolean): string {
  const checks = fields.filter(({ target }) => target !== undefined).map(toReferenceTest);
  return addReferences(`${editTest(text, fields, toSample)}${checks.join("")}`, hasReferences);
}

export function editCommandsTest(text: string, fields: readonly Field[], hasReferences: boolean): string {
  const flag = findRequired(fields)?.name.replaceAll("_", "-") ?? "title";
  return addReferences(swap(editTest(text, fields, toSample), "--title is", `--${flag} is`), hasReferences);
}

export function editPagesTest(text: string, fields: readonly Field[], hasReferences: boolean): string {
  const lead = findLead(fields);
  const short = fields.find(({ type }) => type === "string");
  let edited = editTest(text, fields, toFormSample);
  if (short === undefined) edited = swap(edited, /test\("redirects back to the form when[\s\S]*?\n\}\);\n\n/, "");
  else {
    edited = swap(edited, "the title is too long", `the ${toLabel(short).toLowerCase()} is too long`);
    edited = swap(edited, "title: long", `${short.name}: long`);
    edited = swap(edited, "/The title must have", `/The ${toLabel(short).toLowerCase()} must have`);
  }
  if (lead === undefined) {
    edited = swap(edited, /\n[^\n]*(?:<h1>|value="First")[^\n]*/, "");
    edited = swap(edited, '{ ...first, title: "First <b>" }', "first");
  } else {
    edited = swap(edited, 'title: "First <b>"', `${lead.name}: "First <b>"`);
    if (lead.type === "text") edited = swap(edited, '/value="First"/', "/>First<\\/textarea>/");
  }
  return addReferences(edited, hasReferences);
}

function editTest(text: string, fields: readonly Field[], toValues: typeof toSample): string {
  const required = findRequired(fields);
  let edited = swap(text, '{ title: "First" }', toValues(fields, 0));
  edited = swap(edited, '{ title: "Second" }', toValues(fields, 1));
  if (required === undefined) return swap(edited, /test\("[^"]*without a title[\s\S]*?\n\}\);\n\n/, "");
  edited = swap(edited, "without a title", `without ${withArticle(toLabel(required).toLowerCase())}`);
  return swap(edited, 'path: "title"', `path: "${required.name}"`);
}

/** The rows that the samples refer to are created before the first test. */
function addReferences(text: string, hasReferences: boolean): string {
  if (!hasReferences) return text;
  const statement = 'import { createReferences } from "./support/sample-items.references.ts";\n';
  const call = "await createReferences(app);\n";
  return text
    .replace(/\n\n(\/\*\* The database)/, (_, comment: string) => `\n${statement}\n${comment}`)
    .replace("after(() => app.stop());\n", (line) => `${line}${call}`);
}

function toReferenceTest(field: Field): string {
  return `
test("POST /sample-items responds with 400 for ${withArticle(toLabel(field).toLowerCase())} that does not exist", async () => {
  const json = { ...first, ${field.name}: "unknown" };
  assert.equal((await app.request("POST", "/sample-items", { json })).status, 400);
});
`;
}
