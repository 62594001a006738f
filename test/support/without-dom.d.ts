/** Instead of the types of `@whatwg-node/fetch`, which refer to those of browsers. */
export declare const createFetch: () => typeof globalThis;
