import type { Issue } from "@tenon/core";

const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const maxTitleLength = 300;
const maxNameLength = 100;

/** The API accepts posts without a title, or with one of a megabyte: a link needs text, and a list needs short ones. */
export function toShownTitle(title: string): string {
  return isVisible(title) ? cut(title, maxTitleLength) : "Untitled";
}

export function toShownName(name: string): string {
  return isVisible(name) ? cut(name, maxNameLength) : "Anonymous";
}

/** For places where no element can isolate the text: a bidi control would also reverse the words after it. */
export function withoutBidiControls(text: string): string {
  return text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

/** The issues of a trimmed line of text, such as a name or a title. */
export function checkLine(path: string, line: string, max: number): Issue[] {
  if (!isVisible(line)) return [{ path, rule: "required", message: "is required" }];
  if ([...line].length > max) return [{ path, rule: "max", message: `must have at most ${max} characters` }];
  return [];
}

/** Whether any character is visible: a link of only spaces, joiners and direction marks could not be clicked. */
function isVisible(text: string): boolean {
  return visible.test(text);
}

/** Cuts between characters, never inside one. */
function cut(text: string, length: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= length) return trimmed;
  const characters = [...trimmed.slice(0, length * 2)];
  return characters.length <= length && trimmed.length <= length * 2
    ? trimmed
    : `${characters.slice(0, length).join("")}…`;
}
