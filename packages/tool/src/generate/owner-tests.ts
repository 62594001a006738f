import type { Field } from "./fields.ts";
import { swap } from "./swap.ts";

/** The user of the tests is the row that `createReferences` adds. */
export function addOwnerToRoutesTest(text: string, { name }: Field): string {
  return swap(
    text,
    /const token = await app\.get\(Tokens\).*\nconst headers = .*\n/,
    `async function login(id: string) {
  const token = await app.get(Tokens).issue({ id, email: \`\${id}@example.com\`, role: "user" });
  return { authorization: \`Bearer \${token}\` };
}
const headers = await login("sample");
`,
  ).concat(`
test("POST /sample-items makes the user the owner, whatever the body says", async () => {
  const json = { ...first, ${name}: "other" };
  const response = await app.request("POST", "/sample-items", { json, headers });
  assert.partialDeepStrictEqual(await response.json(), { ${name}: "sample" });
});

test("PUT and DELETE /sample-items/:id respond with 403 for another user", async () => {
  const headers = await login("other");
  const changed = await app.request("PUT", \`/sample-items/\${id}\`, { json: second, headers });
  const deleted = await app.request("DELETE", \`/sample-items/\${id}\`, { headers });
  assert.deepEqual([changed.status, deleted.status], [403, 403]);
});
`);
}

export function addOwnerToPagesTest(text: string, { name }: Field): string {
  return swap(text, 'app.get(Sessions).create("user")', 'app.get(Sessions).create("sample")').concat(`
test("lets only the owner change and delete one", async () => {
  const path = await send("/sample-items", { ...first, ${name}: "other" });
  assert.ok((await get(path)).html.includes(\`href="\${path}/edit"\`));
  const other = \`\${sessionCookie}=\${await app.get(Sessions).create("other")}\`;
  const headers = { cookie: cookie.replace(login, other) };
  const form = { _csrf: token, ...second };
  for (const response of [
    await app.request("GET", \`\${path}/edit\`, { headers }),
    await app.request("GET", \`\${path}/delete\`, { headers }),
    await app.request("POST", \`\${path}?_method=PUT\`, { form, headers }),
    await app.request("POST", \`\${path}?_method=DELETE\`, { form, headers }),
  ]) {
    assert.equal(response.status, 403);
    assert.match(await response.text(), /Only its owner can/);
  }
});
`);
}

export function addOwnerToCommandsTest(text: string, { name }: Field): string {
  const owned = swap(text, "const first = { ", `const first = { ${name}: "sample", `);
  return swap(owned, '"create"]);', `"create", "--${name}=sample"]);`).concat(`
test("create fails for an unknown user", async () => {
  const { code, stderr } = await app.run(["sample-items", "create", ...toFlags({ ...first, ${name}: "unknown" })]);
  assert.deepEqual([code, stderr], [1, "app: User not found\\n"]);
});
`);
}
