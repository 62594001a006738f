/** A value in a table of the developer tools. */
export interface DevCell {
  readonly text: string;
  /** `code` has a fixed width; `good`, `warn`, `bad` and `dim` are colours. Defaults to plain text. */
  readonly kind?: "code" | "good" | "warn" | "bad" | "dim";
  /** Links to the same panel with this query: `{ id: "7" }`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Links to this `http:` or `https:` URL, in a new tab. Any other one is shown as a text. */
  readonly href?: string;
  /** A button that runs the action of this name with `input`; its label is `text`. */
  readonly action?: string;
  readonly input?: Readonly<Record<string, string>>;
}

/** A heading with a text, a document or a table. */
export interface DevSection {
  readonly heading: string;
  /** One or two sentences. */
  readonly note?: string;
  /** Shown as it is, in a font of fixed width. */
  readonly text?: string;
  /** An HTML document, shown in a frame of its own: no script runs, nothing is loaded, and links open in a new tab. */
  readonly html?: string;
  readonly columns?: readonly string[];
  /** A list of values for each row, in the order of the columns. */
  readonly rows?: readonly (readonly (DevCell | string | number | null)[])[];
}

/** A statement that was recorded. The values of its placeholders are not. */
export interface DevStatement {
  readonly database: string;
  readonly sql: string;
}

/** One page of the developer tools, which a package adds: `/_dev/panels/jobs`. Its texts contain no secrets, except for what a developer needs to try: the links in mails. */
export interface DevPanel {
  /** Its name in the address: lower-case letters, digits and "-". */
  readonly id: string;
  /** Its name in the navigation. */
  readonly title: string;
  /** Called at each request, with the query of the page, in which `said` and `frame` are taken. */
  read(query: Readonly<Record<string, string>>): readonly DevSection[] | Promise<readonly DevSection[]>;
  /** What its buttons do, by name. Each returns the message that is shown next. */
  readonly actions?: Readonly<Record<string, (input: Readonly<Record<string, string>>) => string | Promise<string>>>;
  /** How the database would run a statement, without running it; undefined for one of another database. */
  explain?(statement: DevStatement): Promise<string | undefined>;
}

/** A service with this method adds pages to the developer tools. It is found like `onStart()`. */
export interface DevPanelSource {
  devPanels(): readonly DevPanel[];
}
