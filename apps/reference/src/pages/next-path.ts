/** `/login?next=…`: where somebody comes back to after logging in. `redirect()` itself lets only own paths pass. */
export function toLoginPath(next: string): string {
  return toPathWithNext("/login", next);
}

export function toPathWithNext(path: string, next: string): string {
  return next === "" ? path : `${path}?next=${encodeURIComponent(next)}`;
}
