/** Thrown by a handler whose job would fail again: it is dead at once, whatever attempts are left. */
export class UnrecoverableError extends Error {
  override readonly name = "UnrecoverableError";
}
