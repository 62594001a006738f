// `node src/modules-child.ts`: a thousand modules, each with a service that injects that of the module before, a
// controller that injects it, and a route. Prints the milliseconds until the application has started.
import { api, createApp, defineModule, inject, type Module, route } from "@tenon/core";

const count = 1000;

type Service = { readonly depth: number };
type ServiceClass = new () => Service;

function define(index: number, before: { module: Module; service: ServiceClass } | undefined) {
  const service: ServiceClass = class Service {
    readonly depth: number = before === undefined ? 1 : inject(before.service).depth + 1;
  };
  Object.defineProperty(service, "name", { value: `Service${index}` });
  class ItemsController {
    readonly #service = inject(service);

    show() {
      return this.#service.depth;
    }

    routes() {
      return [route.get(`/items${index}/:id`, this.show)];
    }
  }
  const module = defineModule({
    name: `module${index}`,
    imports: before === undefined ? [] : [before.module],
    declarations: [service, ItemsController],
    exports: [service],
  });
  return { module, service };
}

const defined: ReturnType<typeof define>[] = [];
for (let index = 0; index < count; index++) {
  // chains of ten, because real modules do not form a single chain
  defined.push(define(index, index % 10 === 0 ? undefined : defined[index - 1]));
}
const root = defineModule({ name: "root", imports: defined.map(({ module }) => module) });
const begin = performance.now();
const app = await createApp(root, api({ middlewares: [] }), { log: { level: "warn" } });
await app.start();
const time = performance.now() - begin;
if (app.routes.list().length !== count) throw new Error("routes are missing");
console.log(JSON.stringify({ time }));
