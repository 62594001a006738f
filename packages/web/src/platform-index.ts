export { escapeHtml, toPlainPage, toPlainPolicy } from "./html.ts";
export { readSession } from "./sessions/session.ts";
export { createEtaEngine, type EtaEngine, type EtaOptions } from "./views/eta-engine.ts";
export { TemplateError } from "./views/view-engine.ts";
