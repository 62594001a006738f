/** Thrown by whatever touches an unusable dependency. Its problem is already told, so nobody reports it again. */
export class UnusableDependency extends Error {
  constructor() {
    super("a dependency could not be made");
  }
}

function refuse(): never {
  throw new UnusableDependency();
}

/** Stands in for a dependency that could not be resolved, so that construction goes on and finds the other problems too. */
export const unusable: unknown = new Proxy(function dependency() {}, {
  apply: refuse,
  construct: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  get: refuse,
  getOwnPropertyDescriptor: refuse,
  has: refuse,
  ownKeys: refuse,
  set: refuse,
});
