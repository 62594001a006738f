import type { Context, Issue } from "@tenon/core";
import { escapeHtml } from "../html.ts";
import { csrfField } from "../sessions/csrf.ts";
import type { FlashMessage, FormValues, PageState } from "../sessions/page-state.ts";
import type { Session } from "../sessions/session.ts";

export interface PageParts {
  readonly ctx: Context;
  readonly status: number;
  readonly shared: object;
  readonly state: PageState;
  readonly session: Session | undefined;
  /** Undefined when the application serves no assets. */
  readonly assetUrl: ((name: string) => string) | undefined;
}

/** What every view gets beside its data. */
export class Page {
  /** The result of `web({ share })` for this request. */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly status: number;
  /** The messages that `session.flash()` left for this page. */
  readonly flash: readonly FlashMessage[];
  /** The issues of the form that redirected back here. */
  readonly errors: readonly Issue[];
  readonly #parts: PageParts;
  readonly #old: FormValues;

  constructor(parts: PageParts) {
    this.shared = parts.shared as Readonly<Record<string, unknown>>; // any object can be read by name
    this.status = parts.status;
    this.flash = parts.state.flash;
    this.errors = parts.state.form?.issues ?? [];
    this.#old = parts.state.form?.old ?? {};
    this.#parts = parts;
  }

  /** The path of this request, without query. */
  get path(): string {
    return this.#parts.ctx.path;
  }

  /** A query parameter; "" when it is absent. */
  query(name: string): string {
    return this.#parts.ctx.query(name);
  }

  get hasErrors(): boolean {
    return this.errors.length > 0;
  }

  /** The first message about a field; "" when nothing is wrong with it. */
  error(name: string): string {
    return this.errors.find((issue) => issue.path === name)?.message ?? "";
  }

  /** The typed value of a field of a form that failed; the fallback when no form did. */
  old(name: string, fallback: unknown = ""): string {
    if (Object.keys(this.#old).length === 0) return String(fallback ?? "");
    return this.oldAll(name)[0] ?? "";
  }

  /** All values of a field that occurs several times in the form. */
  oldAll(name: string): readonly string[] {
    const value = Object.hasOwn(this.#old, name) ? this.#old[name] : undefined;
    if (value === undefined) return [];
    return typeof value === "string" ? [value] : value;
  }

  /** For the header `x-csrf-token`; forms use `csrfField()`. */
  csrfToken(): string {
    const { session } = this.#parts;
    if (session !== undefined) return session.csrfToken();
    throw new Error(
      "page.csrfToken() and page.csrfField() need a session: list WebSessions in the middlewares of web().",
    );
  }

  /** The hidden field that every form of an unsafe method needs, as HTML: `<%~ page.csrfField() %>`. */
  csrfField(): string {
    return `<input type="hidden" name="${csrfField}" value="${escapeHtml(this.csrfToken())}">`;
  }

  /** The URL of a file in the assets folder, with its fingerprint. */
  asset(name: string): string {
    if (this.#parts.assetUrl !== undefined) return this.#parts.assetUrl(name);
    throw new Error(`page.asset(${JSON.stringify(name)}) needs a folder: web({ assets: new URL("assets/", … ) }).`);
  }
}
