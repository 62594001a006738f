import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** The accessible name of the focused element. */
function focused(page: Page): Promise<{ name: string; outline: string }> {
  return page.evaluate(() => {
    interface Element {
      readonly textContent: string;
      readonly labels?: Iterable<{ readonly textContent: string }>;
    }
    const root = globalThis as unknown as {
      document: { readonly activeElement: Element };
      getComputedStyle(element: Element): { readonly outlineStyle: string; readonly outlineWidth: string };
    };
    const element = root.document.activeElement;
    const [label] = [...(element.labels ?? [])];
    const { outlineStyle, outlineWidth } = root.getComputedStyle(element);
    return { name: (label ?? element).textContent.trim(), outline: `${outlineStyle} ${outlineWidth}` };
  });
}

/** Presses Tab until the element with this label or text has the focus, which must be visible. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press("Tab");
    const found = await focused(page);
    if (found.name !== name) continue;
    assert.equal(found.outline, "solid 3px", `the focus on ${name} can be seen`);
    return;
  }
  assert.fail(`no way by keyboard to ${name}`);
}
