export { toDeveloperReply } from "./developer-reply.ts";
export { toEditorUrl } from "./errors/editor-link.ts";
export { readSession } from "./errors/request-report.ts";
export { escapeHtml } from "./html.ts";
