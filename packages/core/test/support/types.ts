/** Whether two types are the same, not only assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Does not compile unless it is given `true`. */
export type Expect<T extends true> = T;
