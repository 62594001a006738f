import { mint, plainHeader, segment } from "./jwt.ts";

interface Malformed {
  readonly name: string;
  readonly token: string;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Texts that decode to the bytes of a valid token but are not its canonical form (J9, J13). */
export function malformedTokens(claims: Readonly<Record<string, unknown>>): Malformed[] {
  return [...encodings(claims), ...segments(claims), ...contents(claims), ...sizes(claims), ...damages(claims)];
}

/** A token in which no segment uses all bits of its last letter, so that each has spare bits to change. */
function loose(claims: object): [string, string, string] {
  const pad = (value: object) => {
    const { length } = JSON.stringify({ ...value, pad: "" });
    return { ...value, pad: length % 3 === 0 ? ">" : "" };
  };
  return split(mint({ header: pad(plainHeader), payload: pad(claims) }));
}

function split(token: string): [string, string, string] {
  return token.split(".") as [string, string, string]; // a token that mint() made
}

function encodings(claims: object): Malformed[] {
  const parts = loose(claims);
  const at = (index: number, change: (part: string) => string) =>
    parts.map((part, place) => (place === index ? change(part) : part)).join(".");
  const everywhere = (name: string, change: (part: string) => string) =>
    [0, 1, 2].map((index) => ({ name: `${name} in segment ${index + 1}`, token: at(index, change) }));
  const inside = (text: string) => (part: string) => `${part.slice(0, 5)}${text}${part.slice(5)}`;
  const signature = "abc-_def";
  return [
    ...everywhere("padding", (part) => part + "=".repeat((4 - (part.length % 4)) % 4)),
    ...everywhere("non-zero trailing bits", (part) => {
      const last = alphabet.indexOf(part.at(-1) ?? "");
      return part.slice(0, -1) + alphabet[last ^ 1];
    }),
    ...everywhere("a blank", inside(" ")),
    ...everywhere("a tab", inside("\t")),
    ...everywhere("a percent code", inside("%41")),
    ...everywhere("an umlaut", inside("ü")),
    ...everywhere("a plus", inside("+")),
    ...everywhere("a slash", inside("/")),
    ...everywhere("junk", inside("!*")),
    { name: "the alphabet of base64", token: toBase64(mint({ payload: { ...claims, pad: "???>>>~~~" } })) },
    { name: "another signature in the alphabet of base64", token: toBase64(at(2, () => signature)) },
    { name: "a blank before it", token: ` ${parts.join(".")}` },
    { name: "the scheme twice", token: `Bearer ${parts.join(".")}` },
    { name: "in quotes", token: `"${parts.join(".")}"` },
    { name: "a comma after it", token: `${parts.join(".")},` },
  ];
}

function toBase64(token: string): string {
  return token.replaceAll("-", "+").replaceAll("_", "/");
}

function segments(claims: object): Malformed[] {
  const token = mint({ payload: claims });
  const [head, body, signature] = split(token);
  const texts = [
    ...[`${head}.${body}`, `${body}.${signature}`, head, signature, `${token}.`, `.${token}`, `${token}.${signature}`],
    ...[
      `.${body}.${signature}`,
      `${head}..${signature}`,
      `${head}.${body}.`,
      ".",
      "..",
      "...",
      `${head}.${body}.${signature}..`,
    ],
    ...[
      `${body}.${head}.${signature}`,
      `${head}.${head}.${signature}`,
      `${head}.${signature}.${body}`,
      `${token}${token}`,
    ],
    `${head}..${segment("iv")}.${body}.${signature}`,
    JSON.stringify({ protected: head, payload: body, signature }),
  ];
  return texts.map((text, index) => ({ name: `segments, form ${index + 1}`, token: text }));
}

function contents(claims: object): Malformed[] {
  const bodies: unknown[] = [
    "[]",
    [claims],
    '"text"',
    JSON.stringify(JSON.stringify(claims)),
    "1",
    "null",
    "true",
    " ",
  ];
  bodies.push("{", `${JSON.stringify(claims)}x`, `${JSON.stringify(claims)}${JSON.stringify(claims)}`, "{user_id:1}");
  bodies.push(`\ufeff${JSON.stringify(claims)}`, `${JSON.stringify(claims)}\u0000`);
  bodies.push(
    Buffer.concat([
      Buffer.from('{"user_id":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`",${JSON.stringify(claims).slice(1)}`),
    ]),
  );
  const heads: unknown[] = [
    "[]",
    [plainHeader],
    '"HS256"',
    "null",
    "1",
    "{",
    `\ufeff${JSON.stringify(plainHeader)}`,
    "alg: HS256",
  ];
  heads.push(segment(plainHeader), Buffer.from([0x7b, 0xff, 0x7d]));
  return [
    ...bodies.map((payload, index) => ({ name: `payload, form ${index + 1}`, token: mint({ payload }) })),
    ...heads.map((header, index) => ({ name: `header, form ${index + 1}`, token: mint({ header, payload: claims }) })),
  ];
}

function sizes(claims: object): Malformed[] {
  const filler = "x".repeat(6200);
  const [head, body, signature] = split(mint({ payload: claims }));
  return [
    { name: "a payload of over 8 KB", token: mint({ payload: { ...claims, filler } }) },
    { name: "a header of over 8 KB", token: mint({ header: { ...plainHeader, filler }, payload: claims }) },
    { name: "a signature of over 8 KB", token: `${head}.${body}.${signature.padEnd(8200, "A")}` },
    { name: "8 KB of dots", token: ".".repeat(8200) },
    { name: "a payload of 64 levels, unclosed", token: mint({ payload: "[".repeat(2000) }) },
  ];
}

function damages(claims: object): Malformed[] {
  const token = mint({ payload: claims });
  const other = mint({ payload: { ...claims, user_id: "eve" } });
  const [head, body, signature] = split(token);
  const flip = (index: number) => {
    const letter = token[index] === "A" ? "B" : "A";
    return `${token.slice(0, index)}${letter}${token.slice(index + 1)}`;
  };
  const places = Array.from({ length: 16 }, (_, index) => Math.floor(((index + 0.5) * token.length) / 16));
  return [
    ...places
      .filter((place) => token[place] !== ".")
      .map((place) => ({ name: `letter ${place} changed`, token: flip(place) })),
    ...[1, 2, 10, 22, 42].map((count) => ({ name: `${count} letters short`, token: token.slice(0, -count) })),
    ...["A", "AA", "AAAA"].map((more) => ({ name: `${more} added`, token: token + more })),
    { name: "the claims of one with the signature of another", token: `${head}.${split(other)[1]}.${signature}` },
    { name: "a signature of zeros", token: `${head}.${body}.${"A".repeat(43)}` },
    { name: "a signature of one byte", token: `${head}.${body}.AA` },
    { name: "in lower case", token: token.toLowerCase() },
    { name: "backwards", token: [...token].reverse().join("") },
  ];
}
