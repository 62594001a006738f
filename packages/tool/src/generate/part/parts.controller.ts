import { BindError, boolean, type Context, dto, type Infer, inject, route, string } from "@tenon/core";
import { validateModuleName, validatePartName } from "../../names.ts";
import { oneOf, type Prompt, Prompts } from "../../prompts.ts";
import { checkApplication } from "../application.ts";
import { generatorFlags, toGeneration } from "../generator-flags.ts";
import { type NewPart, type PartKind, PartsService, partKinds } from "./parts.service.ts";

const partFlags = {
  module: string()
    .alias("m")
    .describe("Module that it belongs to, such as blog-posts; defaults to that of the application"),
  ...generatorFlags,
};
const PartFlags = dto(partFlags);
const ChannelFlags = dto({
  socket: boolean().describe("Also add a WebSocket, through which clients publish"),
  ...partFlags,
});

const usage = "tenon g channel <name> [--socket]";
const socketPrompt: Prompt = {
  flag: "socket",
  text: "Connections",
  defaultValue: "events",
  choices: [
    { value: "events", hint: "an event stream, from the server to clients" },
    { value: "socket", hint: "also a WebSocket, in both directions" },
  ],
  validate: oneOf(["events", "socket"]),
};

/** `tenon g controller|service|middleware|command|job|channel <name>`. */
export class PartsController {
  readonly #parts = inject(PartsService);
  readonly #prompts = inject(Prompts);

  readonly createChannel = route.command(
    "channel/:name",
    { summary: "Add a channel to a module: an event stream or a WebSocket, with its test", query: ChannelFlags },
    async (ctx, { query: flags }) => {
      const part = toPart(ctx, "channel", flags);
      checkApplication(part.folder); // before the prompt, which would be in vain
      const given = flags.socket === undefined ? undefined : flags.socket ? "socket" : "events";
      const socket = (await this.#prompts.resolve(ctx, given, socketPrompt, usage)) === "socket";
      return this.#parts.create({ ...part, socket });
    },
  );

  routes() {
    const kinds = partKinds.filter((kind) => kind !== "channel");
    const children = [...kinds.map((kind) => this.#toCommand(kind)), this.createChannel];
    return [{ path: "g", children }];
  }

  #toCommand(kind: PartKind) {
    const contract = { summary: `Add a ${kind} with its test to a module`, query: PartFlags };
    return route.command(`${kind}/:name`, contract, (ctx, { query: flags }) =>
      this.#parts.create(toPart(ctx, kind, flags)),
    );
  }
}

function toPart(ctx: Context, kind: PartKind, { module, ...flags }: Infer<typeof PartFlags>): NewPart {
  const name = ctx.param("name");
  check("params", "name", validatePartName(name));
  if (module !== undefined) check("query", "module", validateModuleName(module));
  return { kind, name, module, ...toGeneration(ctx, flags) };
}

function check(part: "params" | "query", path: string, message: string | undefined): void {
  if (message !== undefined) throw new BindError([{ in: part, path, rule: "name", message }]);
}
