/** Runs in the browser: starts the renderer. In a file of its own, because a page without inline scripts is safer. */
export const script = `"use strict";
const root = document.getElementById("docs");
const dark = matchMedia("(prefers-color-scheme: dark)");
const applyScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyScheme);
applyScheme();

/** An event stream may never end, and the renderer shows a response as a whole: it gets the events of the first seconds. */
const streamSeconds = 3;
async function fetchWithStreams(url, options) {
  const response = await fetch(url, options);
  const type = response.headers.get("content-type") || "";
  if (!type.startsWith("text/event-stream") || response.body === null) return response;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const timer = setTimeout(() => reader.cancel(), streamSeconds * 1000);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
  }
  return new Response(text, { status: response.status, statusText: response.statusText, headers: response.headers });
}

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
  requestInterceptor: (request) => {
    if (!request.loadSpec) request.userFetch = fetchWithStreams;
    return request;
  },
});
`;

/** The page around the renderer. */
export const styles = `html { background: #fafafa; }
html.dark-mode { background: #1c2022; }
body { margin: 0; }
.swagger-ui .info { margin: 2rem 0; }
html:not(.dark-mode) .swagger-ui .opblock-deprecated .opblock-summary-method { background: #6b7280; }
`;
