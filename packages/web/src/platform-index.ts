export { toEditorUrl } from "./editor-link.ts";
export { escapeHtml } from "./html.ts";
export { readSession } from "./request-report.ts";
export { isOwn, type Place, parseFrame, readExcerpt, type SourceExcerpt, type SourceLine } from "./source-excerpt.ts";
