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
/** Singular and plural are the same. */
const unchanging = new Set(["data", "news", "series", "species", "sheep", "fish", "equipment", "information", "media"]);
/** Words that are not counted: `healths` is not a word. */
const uncountable =
  /^(?:health|auth|weather|traffic|music|money|cash|advice|feedback|furniture|homework|knowledge|luggage|progress|research|staff|wealth|.+(?:ware|ness))$/;
/** Singular words that end like a plural. */
const endInS = new Set(["bus", "status", "gas", "lens", "bonus", "campus", "virus", "atlas", "canvas", "alias"]);

/** The plural of one lower-case word. A plural stays as it is. */
export function toPlural(word: string): string {
  if (unchanging.has(word) || isPlural(word)) return word;
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Whether the rules give a plural that people use. */
export function hasPlural(word: string): boolean {
  return unchanging.has(word) || !uncountable.test(word);
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

/** Words that begin with the sound of a consonant, although with a vowel: `a user`, `a one-off`. */
const soundsLikeConsonant = /^(?:eu|one\b|once\b|u(?:ni(?![mn])|s[aeu]|t[ei]|rl\b))/;

/** `an article`, `a user`. */
export function withArticle(words: string): string {
  const isVowel = /^(?:[aeiou]|hour|honou?r|honest|heir)/.test(words) && !soundsLikeConsonant.test(words);
  return `${isVowel ? "an" : "a"} ${words}`;
}
