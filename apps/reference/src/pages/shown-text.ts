import type { Issue } from "@tenon/core";

const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const longestTitle = 300;
const longestName = 100;

/** The API takes a post without a title, or with one of a megabyte: a link needs a text, and a list an end. */
export function toShownTitle(title: string): string {
  return isVisible(title) ? cut(title, longestTitle) : "Untitled";
}

export function toShownName(name: string): string {
  return isVisible(name) ? cut(name, longestName) : "Anonymous";
}

/** For where no element can isolate it: what turns the reading around would turn the words behind it, too. */
export function withoutBidiControls(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

/** What is wrong with a line that others will read, which has no blanks around it any more. */
export function checkLine(path: string, line: string, max: number): Issue[] {
  if (!isVisible(line)) return [{ path, rule: "required", message: "is required" }];
  if ([...line].length > max) return [{ path, rule: "max", message: `must have at most ${max} characters` }];
  return [];
}

/** Whether there is anything to see: blanks, joiners and marks of direction alone are nothing that can be clicked on. */
function isVisible(text: string): boolean {
  return visible.test(text);
}

/** Never through a character. */
function cut(text: string, length: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= length) return trimmed;
  const characters = [...trimmed.slice(0, length * 2)];
  return characters.length <= length && trimmed.length <= length * 2
    ? trimmed
    : `${characters.slice(0, length).join("")}…`;
}
