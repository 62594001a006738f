import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { describeInBrowser, withPage } from "../support/browser.ts";
import { addPost } from "../support/pages.ts";

type Color = readonly number[];

/** The focus ring, and the colours next to it. */
interface Ring {
  readonly name: string;
  readonly color: Color;
  readonly adjacent: readonly Color[];
  /** The distance of the ring to the nearest edge of the window. */
  readonly room: number;
}

/** Runs in the page. Undefined when nothing has the focus. */
const readRing = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const ground = (from) => {
    for (let at = from; at !== null; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color[3] !== 0) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const style = getComputedStyle(element);
  const [offset, width] = [Number.parseFloat(style.outlineOffset), Number.parseFloat(style.outlineWidth)];
  const { top, left, right, bottom } = element.getBoundingClientRect();
  const reach = offset + width;
  const outside = ground(element.parentElement);
  return {
    name: element.tagName + " " + (element.id || element.textContent.trim().slice(0, 40)),
    color: style.outlineStyle === "none" ? outside : numbers(style.outlineColor).slice(0, 3),
    adjacent: [offset + width > 0 ? outside : ground(element), offset > 0 ? outside : ground(element)],
    room: Math.min(top - reach, left - reach, innerWidth - right - reach, bottom > innerHeight ? 0 : innerHeight - bottom - reach),
  };
})()`;

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of WCAG 2.2. */
function contrast(one: Color, other: Color): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

/** Moves the focus from the top of the page to its end, by keyboard. */
async function ringsOf(page: Page, path: string): Promise<Ring[]> {
  await page.goto(path);
  const rings: Ring[] = [];
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    const ring = await page.evaluate<Ring | undefined>(readRing);
    if (ring === undefined) return rings;
    rings.push(ring);
  }
  return rings;
}

/** One painted row of pixels, from the left edge of an element to the right one. */
async function pixelRow(page: Page, element: Locator, fromTop: number): Promise<Color[]> {
  const box = await element.boundingBox();
  assert.ok(box !== null);
  const clip = { x: Math.ceil(box.x), y: Math.round(box.y + fromTop), width: Math.floor(box.width), height: 1 };
  const png = (await page.screenshot({ clip })).toString("base64");
  const bytes = await page.evaluate<number[]>(`(async () => {
    const bytes = Uint8Array.from(atob("${png}"), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, 1).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(0, 0, bitmap.width, 1).data];
  })()`);
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.slice(index * 4, index * 4 + 3));
}

describeInBrowser("Focus rings and overflow", (blog) => {
  test("the focus ring has a contrast of 3:1 with its surroundings, and is never cut off by the window", async () => {
    const author = await blog().users.add();
    const content = "A [link](/x) and\n\n```\ncode\n```\n\n| [a](/a) | b |\n|---|---|\n| 1 | [2](/2) |";
    const post = await addPost(blog(), author, { content });
    // the position of a ring does not depend on its colours
    for (const look of [
      { colorScheme: "light", viewport: { width: 1280, height: 800 } },
      { colorScheme: "dark", viewport: { width: 390, height: 700 } },
    ] as const) {
      await withPage(
        blog(),
        async (page) => {
          for (const path of ["/", "/my-posts", `/posts/${post.id}`, `/posts/${post.id}/edit`]) {
            const rings = await ringsOf(page, path);
            assert.ok(rings.length > 5, path);
            for (const { name, color, adjacent, room } of rings) {
              const about = `${name} of ${path}, ${look.colorScheme}`;
              const least = Math.min(...adjacent.map((other) => contrast(color, other)));
              assert.ok(least >= 3, `${about}: ${least.toFixed(2)}:1`);
              assert.ok(room >= 0, `${about}: ${room} pixels of room`);
            }
          }
        },
        { as: author, ...look },
      );
    }
  });

  test("only code and tables that are wider than the page have a shadow at the overflowing edge", async () => {
    const wide = "wide ".repeat(80);
    const content = `\`\`\`\n${wide}\n\`\`\`\n\n\`\`\`\nnarrow\n\`\`\`\n\n| a | b |\n|---|---|\n| ${wide.replaceAll(" ", "\u00a0")} | 2 |`;
    const post = await addPost(blog(), await blog().users.one(), { content });
    for (const colorScheme of ["light", "dark"] as const) {
      await withPage(
        blog(),
        async (page) => {
          await page.goto(`/posts/${post.id}`);
          const [code, short, table] = [
            page.locator("pre").first(),
            page.locator("pre").last(),
            page.locator(".scroll"),
          ];
          // in the padding above the text, or below the first line of a table
          const edges = async (element: Locator, fromTop: number) => {
            const row = await pixelRow(page, element, fromTop);
            const middle = row[Math.floor(row.length / 2)] ?? [];
            const differs = (color: Color = []) => contrast(color, middle) >= 1.3;
            return { left: differs(row[5]), right: differs(row.at(-1)) };
          };
          const scroll = (element: Locator, left: number) =>
            element.evaluate(
              (node, to) => (node as unknown as { scrollTo(x: number, y: number): void }).scrollTo(to, 0),
              left,
            );
          for (const [element, name] of [
            [code, "code"],
            [table, "table"],
          ] as const) {
            const about = `${name}, ${colorScheme}`;
            assert.deepEqual(await edges(element, 5), { left: false, right: true }, `${about}, at its start`);
            await scroll(element, 200);
            assert.deepEqual(await edges(element, 5), { left: true, right: true }, `${about}, in the middle`);
            await scroll(element, 100_000);
            assert.deepEqual(await edges(element, 5), { left: true, right: false }, `${about}, at its end`);
          }
          assert.deepEqual(await edges(short, 5), { left: false, right: false }, `narrow code, ${colorScheme}`);
          const [ink, ground] = await code.evaluate((node) => {
            const { getComputedStyle } = globalThis as unknown as {
              getComputedStyle(of: unknown): { readonly color: string; readonly backgroundColor: string };
            };
            const { color, backgroundColor } = getComputedStyle(node);
            return [color, backgroundColor].map((text) => (text.match(/\d+/g) ?? []).map(Number));
          });
          assert.ok(contrast(ink ?? [], ground ?? []) >= 7, "the text on it can be read");
        },
        { colorScheme, viewport: { width: 390, height: 700 } },
      );
    }
  });

  test("the name of the logged-in user is text and does not look like a link", async () => {
    const author = await blog().users.add();
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 320, height: 640 },
    ]) {
      await withPage(
        blog(),
        async (page) => {
          await page.goto("/my-posts");
          const who = page.getByRole("navigation").getByText("Logged in as");
          const box = await who.boundingBox();
          assert.ok(box !== null && box.width > 40 && box.height > 8, "it can be seen");
          const name = page.getByRole("navigation").getByText(author.user.name);
          const below = await name.boundingBox();
          assert.ok(below !== null && below.y >= box.y + box.height - 1, "the name is below its label");
        },
        { as: author, viewport },
      );
    }
  });
});
