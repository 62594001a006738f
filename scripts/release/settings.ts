export interface ReleaseSettings {
  /** The git URL of the repository, such as `git+https://host/owner/name.git`. Provenance names it. */
  readonly repository: string | undefined;
  /** The folder of the docs on the web, ending in a slash. By default links lead to the docs inside `@tenon/core`. */
  readonly documentation: string | undefined;
  /** Whether npm proves where a package was built. It can do so only on a CI service that it knows. */
  readonly provenance: boolean;
  readonly access: "public" | "restricted";
  /** The engines of `@tenon/core`. All others depend on it, and npm prints five lines for each package that has them. */
  readonly engines: Readonly<Record<string, string>>;
}

/**
 * Everything about publishing that is not about one package, applied when the packages are packed. The owner fills in
 * the repository before the first release. The engines are here because npm would compare those of a workspace with the
 * Node that installs it, although everything in it runs on the pinned one.
 */
export const settings: ReleaseSettings = {
  repository: undefined,
  documentation: undefined,
  provenance: true,
  access: "public",
  engines: { node: ">=24" },
};
