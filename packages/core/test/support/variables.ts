import type { TestContext } from "node:test";

/** By test: the variables that are restored at its end. A second hook would run after the first, and restore its value. */
const changed = new WeakMap<TestContext, Set<string>>();

/** Sets variables of this process until the test ends. */
export function setVariables(t: TestContext, variables: Readonly<Record<string, string | undefined>>): void {
  const names = changed.get(t) ?? new Set();
  changed.set(t, names);
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    if (!names.has(name)) t.after(() => setVariable(name, before));
    names.add(name);
    setVariable(name, value);
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
