import { z } from "zod";

export const NewPostSchema = z.object({
  title: z.string().min(1).max(200),
  content: z.string().min(1),
  priority: z.number().int().min(1).max(5),
  published: z.boolean(),
  tags: z.array(z.string()),
});
