/** A schema that takes whatever JSON can say. */
export const anything = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value }) },
};
