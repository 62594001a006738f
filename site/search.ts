/**
 * How the search of the site ranks its results. VitePress sends the source of these functions to the browser, so they
 * use nothing from outside.
 */
export const searchOptions = {
  /** Words that every page has would outweigh those that people look for; others have a name of their own here. */
  processTerm(term: string): string | readonly string[] | null {
    const common =
      /^(?:already|an?|and|are|can|do|does|every|for|how|i|in|is|it|my|of|on|or|should|the|to|use|using|what|when|where|which|why|with)$/;
    const alsoCalled: Record<string, readonly string[]> = {
      "2fa": ["totp"],
      crashes: ["start"],
      daily: ["cron"],
      day: ["cron"],
      dotenv: ["env", "variables"],
      hot: ["restart"],
      input: ["validation"],
      mfa: ["totp"],
      multitenancy: ["tenancy"],
      night: ["cron"],
      nodemon: ["restart"],
      oidc: ["openid"],
      paginate: ["pagination"],
      paging: ["pagination"],
      periodic: ["cron"],
      quickstart: ["installation"],
      scaffold: ["generators"],
      startup: ["start"],
      socket: ["websocket", "websockets"],
      started: ["installation"],
      swagger: ["openapi"],
      validate: ["validation"],
      watch: ["restart"],
    };
    const word = term.toLowerCase();
    return common.test(word) ? null : [word, ...(Object.hasOwn(alsoCalled, word) ? (alsoCalled[word] ?? []) : [])];
  },
  /** The pages that explain come before the lists of all names, and a page that is named after a word before others. */
  boostDocument(id: string, term: string): number {
    const [path = ""] = id.split("#");
    return (path.startsWith("/api/") ? 0.3 : 1) * (term.length > 3 && path.includes(term) ? 3 : 1);
  },
};
