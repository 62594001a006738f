/** Frames of the framework and of a database library alone are more than the ten that V8 keeps. */
const deepest = 50;

/** Keeps stacks long enough to reach the application. It costs time for each error: for development and tests. */
export function keepLongStacks(): void {
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, deepest);
}
