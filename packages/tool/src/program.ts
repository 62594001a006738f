/** How `cli()` shows the tool. */
export const program = {
  name: "tenon",
  description: "Creates applications, generates their parts, runs and checks them",
  first: ["dev", "check", "routes", "new", "g resource", "g auth", "g", "migrate", "db"],
  aliases: { generate: "g", app: "new" },
  groups: {
    g: "Generate parts of an application",
    migrate: "The migrations of an application's database",
    db: "The data of an application's database",
    requests: "What the developer tools of an application have recorded",
    explain: "Who provides a class or token, and who uses it",
  },
} as const;
