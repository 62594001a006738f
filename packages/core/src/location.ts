/** The `Location` header of a redirect. A target outside this site becomes "/", unless it is `external`. */
export function toLocation(to: string, external: boolean): string {
  const target = external || isOwnPath(to) ? to : "/";
  // encodes what a header cannot carry; leaves alone what is encoded already, and the brackets of IPv6 hosts
  return encodeURI(target).replaceAll(/%25|%5B|%5D/g, (code) => decodeURIComponent(code));
}

/** `//host`, `/\host` and any scheme lead to another site; browsers drop tabs and line breaks before they parse. */
function isOwnPath(to: string): boolean {
  return /^\/(?![/\\])[^\u0000-\u001f\u007f\\\u2028\u2029]*$/.test(to) && to.isWellFormed();
}
