import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The short form skips states whose template and rules another page covers. */
export const isFull = process.env.TENON_FULL === "1";
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  const { violations: found } = await page.evaluate(async (given) => {
    const { axe } = globalThis as unknown as { axe: { run(options: unknown): Promise<AxeResults> } };
    return axe.run({ resultTypes: ["violations"], ...given });
  }, options);
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

/** Headings, landmarks and labels; no axe violation, light or dark; no horizontal scrolling on a small phone. */
export async function assertAccessible(page: Page, name: string, inDark = false): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await page.evaluate(axeSource);
  assert.deepEqual(await violations(page), [], name);
  if (isFull || inDark) {
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await violations(page, { runOnly: ["color-contrast"] }), [], `${name}, dark`);
  }
  for (const role of ["banner", "main", "contentinfo"] as const) {
    assert.equal(await page.getByRole(role).count(), 1, `${name}: ${role}`);
  }
  assert.equal(await page.getByRole("navigation", { name: "Site" }).count(), 1, name);
  assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1, name);
  const wide = await page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: { documentElement: { readonly scrollWidth: number; readonly clientWidth: number } };
    };
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
  assert.equal(wide, 0, `${name} scrolls sideways`);
}
