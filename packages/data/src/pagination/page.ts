import { array, type Dto, dto, type Infer, integer, string } from "@tenon/core";

export const defaultLimit = 20;

/** The query of a list in pages: `limit` from 1 to 100, 20 by default, and `cursor`. */
export const PageQuery = dto({
  limit: integer("min=1", "max=100", `default=${defaultLimit}`).alias("l").describe("How many to list; 20 by default"),
  cursor: string("min=1").describe("Where to continue: `next` or `previous` of another page"),
});
export type PageQuery = Infer<typeof PageQuery>;

function toPageDto<const Item extends Dto>(item: Item) {
  const fields = {
    items: array(item, "required"),
    next: string("required", "nullable").describe("The cursor of the next page; null on the last one"),
    previous: string("required", "nullable").describe("The cursor of the page before; null on the first one"),
  };
  return item.name === "" ? dto(fields) : dto(`${item.name}Page`, fields);
}

type PageDto<Item extends Dto> = ReturnType<typeof toPageDto<Item>>;

/** Two DTOs of one name would be a start error. */
const pages = new WeakMap<Dto, Dto>();

/** What a list in pages returns, for contracts: `returns: page(Post)`. Its name is that of the DTO and `Page`. */
export function page<const Item extends Dto>(item: Item): PageDto<Item> {
  const known = pages.get(item) ?? toPageDto(item);
  pages.set(item, known);
  return known as PageDto<Item>; // made for the same item
}
