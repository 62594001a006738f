import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig, type Plugin } from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { settings } from "../../scripts/release/settings.ts";

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link: `/${link}` });

/** In the order in which a reader needs them. Every page of docs/ is listed once; the build fails for one that is not. */
const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: "Start",
    items: [page("Installation", "installation"), page("Tutorial", "tutorial"), page("Questions", "faq")],
  },
  {
    text: "Guide",
    items: [
      page("Routing", "routing"),
      page("Request context", "context"),
      page("Validation", "validation"),
      page("Responses", "responses"),
      page("Error responses", "error-responses"),
      page("Modules and injection", "modules"),
      page("Configuration", "configuration"),
      page("Middleware", "middleware"),
      page("Database and stores", "data"),
      page("Testing", "testing"),
      page("Authentication", "auth"),
      page("OpenAPI and the docs page", "openapi"),
      page("Typed client", "typed-client"),
      page("Forms and file uploads", "file-uploads"),
      page("HTML pages", "web"),
      page("Web sessions", "web-sessions"),
      page("Command line", "cli"),
      page("Jobs and schedules", "jobs"),
      page("Live routes", "live"),
      page("Development", "development"),
      page("Devtools", "devtools"),
    ],
  },
  {
    text: "Recipes",
    items: [
      page("Pagination", "recipes/pagination"),
      page("File uploads", "recipes/file-uploads"),
      page("Server-sent events", "recipes/server-sent-events"),
      page("Optional authentication", "recipes/optional-authentication"),
      page("Roles and permissions", "recipes/roles"),
      page("JWT or session", "recipes/jwt-or-session"),
      page("Events or live channels", "recipes/events-or-channels"),
      page("Adding a column", "recipes/adding-a-column"),
      page("Domain errors and statuses", "recipes/domain-errors"),
      page("Downloads and streaming a file", "recipes/downloads"),
      page("Transactions", "recipes/transactions"),
      page("Several databases", "recipes/several-databases"),
      page("Prisma or Drizzle", "recipes/prisma-drizzle"),
      page("Sharing types", "recipes/sharing-types"),
      page("A monorepo", "recipes/monorepo"),
      page("A React or Vue front end", "recipes/front-end"),
      page("Prefix and API versions", "recipes/api-versions"),
      page("Translations (i18n)", "recipes/translations"),
      page("Debugging in an editor", "recipes/debugging"),
    ],
  },
  {
    text: "Operations",
    items: [
      page("Running in production", "production"),
      page("Observability", "observability"),
      page("Docker", "recipes/docker"),
      page("systemd", "recipes/systemd"),
      page("nginx", "recipes/nginx"),
      page("Kubernetes", "recipes/kubernetes"),
      page("Serverless platforms", "recipes/serverless"),
      page("Error trackers", "recipes/error-trackers"),
      page("Reliability report", "reliability-report"),
    ],
  },
  {
    text: "Reference",
    items: [
      page("The tenon command", "tool"),
      page("Routes as records", "routes-as-records"),
      page("Limits", "limits"),
      page("Error codes", "errors"),
    ],
  },
  {
    text: "API reference",
    items: [
      ...[
        "core",
        "core/middleware",
        "core/testing",
        "core/cli",
        "data",
        "auth",
        "jobs",
        "live",
        "web",
        "observe",
        "fuzz",
      ],
    ].map((name) => page(`@tenon/${name}`, `api/@tenon/${name === "core/middleware" ? "core/middleware-1" : name}`)),
  },
  {
    text: "Comparisons",
    items: [
      page("The application", "comparisons/the-application"),
      page("Express", "comparisons/express"),
      page("NestJS", "comparisons/nestjs"),
      page("Fastify", "comparisons/fastify"),
      page("Hono", "comparisons/hono"),
      page("AdonisJS", "comparisons/adonisjs"),
    ],
  },
  {
    text: "Internals",
    items: [page("Architecture", "architecture"), page("HTTP engines and workers", "http-engines")],
  },
];

/** As on GitHub, so that a link works in both places. */
function toAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** Links to the source lead to the repository, or nowhere until there is one. */
function toSource(href: string): string | undefined {
  const path = /^(?:\.\.\/)+((?:README\.md|apps\/|bench\/|packages\/|reliability\/).*)$/.exec(href)?.[1];
  const { repository } = settings;
  if (path === undefined || repository === undefined) return path;
  return `${repository.replace(/^git\+|\.git$/g, "")}/blob/main/${path}`;
}

/** The pages are outside of this folder, so Vite does not find Vue from there. */
const resolveFromHere: Plugin = {
  name: "resolve-from-here",
  enforce: "pre",
  resolveId(id, importer, { ssr }) {
    if (!/^vue(\/|$)/.test(id) || importer === fileURLToPath(import.meta.url)) return null;
    if (ssr) return { id, external: true };
    return this.resolve(id, fileURLToPath(import.meta.url), { skipSelf: true });
  },
};

export default defineConfig({
  title: "Tenon",
  description: "A server-side application framework for TypeScript",
  lang: "en",
  srcDir: fileURLToPath(new URL("../../docs", import.meta.url)),
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  cleanUrls: true,
  rewrites: { "README.md": "contents.md", "recipes/README.md": "recipes/index.md" },
  markdown: {
    anchor: { slugify: toAnchor },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      markdown.core.ruler.push("source-links", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const path = token.type === "link_open" ? toSource(token.attrGet("href") ?? "") : undefined;
          if (path !== undefined && settings.repository === undefined) token.attrSet("href", "/contents");
          else if (path !== undefined) token.attrSet("href", path);
        }
      });
    },
  },
  themeConfig: {
    sidebar,
    search: { provider: "local" },
    outline: { level: [2, 3] },
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guide", link: "/routing" },
      { text: "Reference", link: "/context#context-reference" },
    ],
  },
  vite: { plugins: [llmstxt(), resolveFromHere] },
});
