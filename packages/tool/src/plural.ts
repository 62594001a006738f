const irregular = new Map([
  ["person", "people"],
  ["child", "children"],
  ["man", "men"],
  ["woman", "women"],
  ["foot", "feet"],
  ["tooth", "teeth"],
  ["mouse", "mice"],
  ["goose", "geese"],
]);
const singulars = new Map([...irregular].map(([singular, plural]) => [plural, singular]));
/** The same for one and for many. */
const unchanging = new Set(["data", "news", "series", "species", "sheep", "fish", "equipment", "information", "media"]);
/** They end like a plural and are none. */
const endInS = new Set(["bus", "status", "gas", "lens", "bonus", "campus", "virus", "atlas", "canvas", "alias"]);

/** Of one lower-case word; one that is plural already stays as it is. */
export function toPlural(word: string): string {
  if (unchanging.has(word) || isPlural(word)) return word;
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

export function toSingular(word: string): string {
  if (unchanging.has(word) || !isPlural(word)) return word;
  const known = singulars.get(word);
  if (known !== undefined) return known;
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2);
  const withoutEs = word.slice(0, -2);
  return word.endsWith("es") && endInS.has(withoutEs) ? withoutEs : word.slice(0, -1);
}

function isPlural(word: string): boolean {
  if (singulars.has(word)) return true;
  return word.length > 2 && word.endsWith("s") && !/(?:ss|us|is)$/.test(word) && !endInS.has(word);
}
