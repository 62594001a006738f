import type { Issue } from "@tenon/core";

/** A whole sentence about a field: `Title is required.` */
export function explainIssue(label: string, { rule, message }: Issue): string {
  // "E-mail address must be an e-mail address" would help nobody
  const words = rule === "email" ? "must look like name@example.com" : message;
  return `${label} ${words}.`;
}
