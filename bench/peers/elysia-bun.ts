// Elysia on Bun, for which it is written.
import { Elysia } from "elysia";
import { elysiaPeer } from "./support/elysia-peer.ts";
import { serve } from "./support/serve.ts";

await serve(elysiaPeer(() => new Elysia()));
