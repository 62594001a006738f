/** Runs in the browser: starts the renderer. In a file of its own, because a page without inline scripts is safer. */
export const script = `"use strict";
const root = document.getElementById("docs");
const dark = matchMedia("(prefers-color-scheme: dark)");
const applyScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyScheme);
applyScheme();

SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  requestSnippetsEnabled: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  syntaxHighlight: { theme: "agate" },
});
`;

/** The page around the renderer. */
export const styles = `html { background: #fafafa; }
html.dark-mode { background: #1c2022; }
body { margin: 0; }
.swagger-ui .info { margin: 2rem 0; }
html:not(.dark-mode) .swagger-ui .opblock-deprecated .opblock-summary-method { background: #6b7280; }
`;
