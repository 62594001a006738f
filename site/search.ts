/**
 * How the search of the site ranks its results. VitePress sends the source of these functions to the browser, so they
 * use nothing from outside.
 */
export const searchOptions = {
  /** Words that every page has would outweigh those that people look for. */
  processTerm(term: string): string | null {
    const common =
      /^(?:an?|and|are|can|do|does|for|how|i|in|is|it|my|of|on|or|should|the|to|what|where|which|why|with)$/i;
    return common.test(term) ? null : term.toLowerCase();
  },
  /** The pages that explain come before the lists of all names. */
  boostDocument(id: string): number {
    return id.startsWith("/api/") ? 0.3 : 1;
  },
};
