/** Compared in lower case and without punctuation. A tokenizer, a cookie banner and a session's name are no secrets. */
const secret =
  /authorization|passw(?:or)?d|passphrase|pwd|secret|credential|csrf|apikey|privatekey|token(?!iz)|(?:cookies?|sessionids?)$/;

/** Whether a field of this name may hold a secret: the log redacts it, and a form that is shown again leaves it out. */
export function isSecretName(name: string): boolean {
  return secret.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}
