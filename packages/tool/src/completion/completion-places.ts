import type { CatalogCommand, CatalogFlag } from "./command-catalog.ts";

/** What can follow the words that were typed. */
export interface CompletionPlace {
  /** The words so far, joined with spaces; `*` for one that the user chooses. */
  readonly words: string;
  /** The next word and what it is about. */
  readonly next: ReadonlyMap<string, string>;
  readonly flags: readonly CatalogFlag[];
}

/** Places with a free word come last, because their patterns match others too. */
export function toPlaces(commands: readonly CatalogCommand[]): CompletionPlace[] {
  const places = new Map<string, { next: Map<string, string>; flags: readonly CatalogFlag[] }>();
  const enter = (words: CatalogCommand["words"]) => {
    const key = words.map((word) => word ?? "*").join(" ");
    const place = places.get(key) ?? { next: new Map<string, string>(), flags: [] };
    places.set(key, place);
    return place;
  };
  for (const { words, choices, about, flags } of commands) {
    for (const [index, word] of words.entries()) {
      const { next } = enter(words.slice(0, index));
      const isLast = index === words.length - 1;
      for (const value of word === undefined ? (choices.get(index) ?? []) : [word]) {
        if (isLast || !next.has(value)) next.set(value, isLast ? about : "");
      }
    }
    enter(words).flags = flags;
  }
  const free = ({ words }: CompletionPlace) => Number(words.includes("*"));
  return [...places].map(([words, place]) => ({ words, ...place })).sort((a, b) => free(a) - free(b));
}
