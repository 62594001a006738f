import { route } from "@tenon/core";
import { bodyLimit } from "@tenon/core/middleware";
import { maxAuthBody } from "./auth.dto.ts";
import { noStore } from "./no-store.ts";

/** Below `/auth`: small bodies, and responses that no cache may store. */
export const auth = route.under("/auth", {
  middlewares: [bodyLimit(maxAuthBody), noStore],
  tags: ["Authentication"],
});
