/** A value that was set, before those set earlier. A request has a handful, for which a Map costs more than the walk. */
export interface SetValue {
  readonly key: string;
  value: unknown;
  readonly next: SetValue | undefined;
}

export function findValue(last: SetValue | undefined, key: string): SetValue | undefined {
  let candidate = last;
  while (candidate !== undefined && candidate.key !== key) candidate = candidate.next;
  return candidate;
}
