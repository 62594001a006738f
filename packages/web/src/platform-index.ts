export { toDeveloperReply } from "./developer-reply.ts";
export { toEditorUrl } from "./errors/editor-link.ts";
export { readSession } from "./errors/request-report.ts";
export { escapeHtml } from "./html.ts";
export { createEtaEngine, type EtaEngine, type EtaOptions } from "./views/eta-engine.ts";
