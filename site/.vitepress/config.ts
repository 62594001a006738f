import { fileURLToPath } from "node:url";
import {
  type DefaultTheme,
  defineConfig,
  type MarkdownEnv,
  type MarkdownOptions,
  type MarkdownRenderer,
  type Plugin,
} from "vitepress";
import llmstxt from "vitepress-plugin-llms";
import { settings } from "../../scripts/release/settings.ts";
import { searchOptions } from "../search.ts";
import { groups } from "../sidebar.ts";

const toItem = (text: string, path: string): DefaultTheme.SidebarItem => ({ text, link: `/${path}` });

const modules = [
  "core",
  "core/middleware",
  "core/testing",
  "core/cli",
  "server",
  "data",
  "auth",
  "accounts",
  "jobs",
  "live",
  "mail",
  "web",
  "observe",
  "fuzz",
];
const apiReference: DefaultTheme.SidebarItem = {
  text: "API reference",
  items: modules.map((name) =>
    toItem(`@tenon/${name}`, `api/@tenon/${name === "core/middleware" ? `${name}-1` : name}`),
  ),
};

const sidebar = groups.map(({ text, pages }): DefaultTheme.SidebarItem => {
  const items = pages.map(([title, path]) => toItem(title, path));
  return { text, items: text === "Reference" ? [...items, apiReference] : items };
});

/** As on GitHub, so that a link works in both places. */
function toAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

const repositoryPage = settings.repository?.replace(/^git\+|\.git$/g, "");

/** Links to the source lead to the repository, or nowhere until there is one. */
function toSource(href: string): string | undefined {
  const path = /^(?:\.\.\/)+((?:README\.md|apps\/|bench\/|packages\/|reliability\/).*)$/.exec(href)?.[1];
  if (path === undefined || repositoryPage === undefined) return path;
  return `${repositoryPage}/blob/main/${path}`;
}

/** Lists of links and tables of figures have every word, and answer no question. */
const unsearched = ["README.md", "reliability-report.md", "api/index.md"];

function toSearchText(source: string, env: MarkdownEnv, markdown: MarkdownRenderer): string {
  const html = markdown.render(source, env);
  return unsearched.includes(env.relativePath) ? "" : html;
}

/** A wrapped line of code goes on two columns further in than it begins. */
const indentWrappedLines: NonNullable<MarkdownOptions["codeTransformers"]>[number] = {
  name: "indent-wrapped-lines",
  line(element, line) {
    const indent = (this.source.split("\n")[line - 1] ?? "").search(/\S|$/);
    element.properties.style = `--indent: ${indent + 2}ch`;
  },
};

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
  description: "A server framework for TypeScript: routing, validation, login, database, jobs, pages and live channels",
  lang: "en",
  srcDir: fileURLToPath(new URL("../../docs", import.meta.url)),
  outDir: fileURLToPath(new URL("../dist", import.meta.url)),
  cleanUrls: true,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/icon.svg" }]],
  rewrites: { "README.md": "contents.md", "recipes/README.md": "recipes/index.md" },
  markdown: {
    anchor: { slugify: toAnchor },
    codeTransformers: [indentWrappedLines],
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      markdown.core.ruler.push("source-links", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const path = token.type === "link_open" ? toSource(token.attrGet("href") ?? "") : undefined;
          if (path !== undefined && repositoryPage === undefined) token.attrSet("href", "/contents");
          else if (path !== undefined) token.attrSet("href", path);
        }
      });
      const { rules } = markdown.renderer;
      const toCode = rules.code_inline;
      rules.code_inline = (...args) =>
        (toCode?.(...args) ?? "").replaceAll(/--[a-z][\w-]*/g, '<span class="flag">$&</span>');
    },
  },
  themeConfig: {
    logo: "/icon.svg",
    ...(repositoryPage !== undefined && { socialLinks: [{ icon: "github", link: repositoryPage }] }),
    sidebar,
    search: { provider: "local", options: { _render: toSearchText, miniSearch: { searchOptions } } },
    outline: { level: [2, 3] },
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Guide", link: "/development" },
      { text: "Recipes", link: "/recipes/pagination" },
      { text: "Reference", link: "/tool" },
      { text: "Operations", link: "/production" },
      { text: "Comparisons", link: "/comparisons/the-application" },
    ],
  },
  vite: { publicDir: fileURLToPath(new URL("../public", import.meta.url)), plugins: [llmstxt(), resolveFromHere] },
});
