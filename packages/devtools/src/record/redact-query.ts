import { isSecretInput, redacted } from "@tenon/core/internal";

/**
 * A path with its query, a URL, or text with some: the values of secret parameters are replaced, and those that are
 * URLs with a secret themselves (`/login?next=%2Fverify%3Ftoken%3D…`). `depth` is how often a URL may be in another.
 */
export function redactQuery(text: string, depth = 3): string {
  const kept: string[] = [];
  let [lead, isHidden] = ["", false];
  for (const [index, piece] of text.split(/([?&#;\s"'<>])/).entries()) {
    if (index % 2 === 1) {
      // a semicolon begins a parameter in a header, but does not end the value of one in a query
      isHidden &&= piece === ";" || piece === "?";
      if (/\S/.test(piece)) lead = piece;
    } else if (!isHidden && piece !== "") {
      const [name = ""] = piece.split("=", 1);
      const isPair = /^[?&#;]/.test(lead) && name.length < piece.length;
      isHidden = isPair && (isSecretParameter(name) || holdsSecret(piece.slice(name.length + 1), depth));
      kept.push(isHidden ? `${name}=${redacted}` : piece);
      lead = "";
      continue;
    }
    if (!isHidden) kept.push(piece);
  }
  return kept.join("");
}

function holdsSecret(value: string, depth: number): boolean {
  if (depth === 0 || !/%(?:25)*3d/i.test(value)) return false;
  const decoded = decode(value);
  return redactQuery(decoded, depth - 1) !== decoded;
}

/** Whether a parameter of a query or a form is named like a secret. Its name may be encoded. */
export function isSecretParameter(name: string): boolean {
  return isSecretInput(decode(name));
}

/** As the parser of forms does: a name that is not well-formed is decoded as far as it can be. */
function decode(name: string): string {
  const [decoded = ""] = new URLSearchParams(`${name}=`).keys();
  return decoded;
}
