/** A small blog: for `db seed`, and for pictures of its pages. */
export interface SamplePost {
  readonly author: string;
  readonly title: string;
  readonly content: string;
  readonly date: string;
  readonly published?: false;
}

export const sampleAuthors = ["Ada Brandt", "Jonas Okafor", "Mirela Sun"];

export function sampleEmailOf(author: string): string {
  return `${author.toLowerCase().replaceAll(" ", ".")}@example.com`;
}

export const samplePosts: readonly SamplePost[] = [
  {
    author: "Ada Brandt",
    date: "2026-11-09",
    title: "The joint that holds without glue",
    content: `A mortise and tenon is two shapes that agree with each other. One piece has a tongue, the other a slot, and when both are cut well the friction between them carries a door for two hundred years. Glue only helps.

I keep coming back to it when I draw the line between two parts of a program. The question is always the same: *which side has to be exact?*

## Cut the slot first

The slot is the harder one. You cannot see its walls while you cut, and there is no way to put wood back. So you cut it first, as well as you can, and then you shave the tongue until it fits. Fitting is done on the side where a mistake costs a shaving and not a plank.

1. Mark both faces from the same edge.
2. Cut the slot to the line, and stop.
3. Cut the tongue a hair too thick.
4. Shave it. Try it. Shave it again.

Interfaces want the same order. The side that others will build against is the slot: it is decided early, it is narrow, and nobody can look inside it later. The side that you can still plane down is yours.

> Measure once from one edge. Two edges are two opinions.

## What it looks like in code

A store that promises three things is a slot one can cut exactly:

\`\`\`ts
export interface SessionStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, seconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}
\`\`\`

Everything that talks to it is a tongue. When one of them does not fit, I know which side to plane.

| Part | Cut by | May still change |
|:-----|:-------|-----------------:|
| slot | chisel | no |
| tongue | saw, then plane | a shaving at a time |
| shoulder | knife line | no |

---

Next week: why the shoulder, and not the tongue, is what keeps water out. Until then there is a long thread about [drawbored pegs](https://example.com/pegs), with better photographs than mine.`,
  },
  {
    author: "Jonas Okafor",
    date: "2026-11-04",
    title: "Forty lines instead of a dependency",
    content: `We removed a package last month that did one thing for us: it turned \`"2h"\` into a number of milliseconds. It came with four others, one of which had changed hands twice.

What we wrote instead is forty lines, of which half are tests. It knows three units, because we use three units. It refuses everything else in a sentence that names what it was given.

I do not think that everybody should write their own. I think that the question should be asked with the number on the table.`,
  },
  {
    author: "Mirela Sun",
    date: "2026-10-28",
    title: "A bench, a vise, and nothing else on it",
    content: `The best advice I got in my first year was about the top of my bench: at the end of the day it is empty. Not tidy. Empty.

It takes ten minutes and it hurts a little each time, because some of what lies there is half an idea. But half an idea that survives on a shelf with a note on it is worth more than one that survives because nobody dared to move the clamps.

My inbox works like this now, too.`,
  },
  {
    author: "Ada Brandt",
    date: "2026-10-21",
    title: "Reading the grain of somebody else's code",
    content: `Before you plane a board you look at its edge. The lines tell you in which direction the fibres rise, and if you plane against them the blade digs in and tears.

A codebase has such a direction. It shows in small things: where errors are handled, what a file is named after, whether a function returns or throws. I read three files end to end before I change one, and I write the first change so that nobody could tell who wrote it.`,
  },
  {
    author: "Jonas Okafor",
    date: "2026-10-13",
    title: "The test that could not fail",
    content: `It had been green for two years. It started a server, asked it for a page, and checked that the answer was not an error. The server it started was the mock.

I found it because I broke the page on purpose. That is the whole method, and I recommend it: once a month, pick a test, break what it guards, and watch.`,
  },
  {
    author: "Mirela Sun",
    date: "2026-10-02",
    title: "Shellac dries while you read this",
    content: `Alcohol and the work of an insect: that is all shellac is. A coat dries in the time that it takes to drink a cup of tea, and the next one melts into it, so that ten coats are one.

Most finishes ask you to wait. This one asks you to be light of hand.`,
  },
  {
    author: "Ada Brandt",
    date: "2026-09-24",
    title: "On leaving room for the wood to move",
    content: `A table top that is fixed at both edges will split, whatever the wood and however strong the screws. It grows in August and shrinks in February, and it will do so with or without your permission.

So you cut the holes long, and the screws may wander. I have yet to meet a schedule that would not have been better for a long hole.`,
  },
  {
    author: "Jonas Okafor",
    date: "2026-09-15",
    title: "What the log said at three in the morning",
    content: `It said "error". I would like to thank the person who wrote it, who was me.

Since then every message that leaves my hands has to name two things: what was wrong, and what to do about it. When I cannot name the second, I have usually not understood the first.`,
  },
  {
    author: "Mirela Sun",
    date: "2026-09-03",
    title: "Sharp is a habit",
    content: `Nobody sharpens because a chisel is dull. One sharpens because it is Tuesday, or because the kettle is on.

Thirty strokes on the fine stone, ten on the strop. Then the work goes so well that there is no story to tell about it.`,
  },
  {
    author: "Ada Brandt",
    date: "2026-08-27",
    title: "Three cheap drawings before one dear cut",
    content: `The first drawing is always of what I already had in mind. The second is of what is wrong with it. The third is the one I build.

Paper is cheap. So is an afternoon in which nothing is built.`,
  },
  {
    author: "Jonas Okafor",
    date: "2026-08-19",
    title: "Small numbers in a big table",
    content:
      "A page of ten from a table of a million should cost what ten rows cost. If it costs more on page nine hundred, the table is being counted for you, row by row, by a machine that is too polite to complain.",
  },
  {
    author: "Mirela Sun",
    date: "2026-08-11",
    title: "Offcuts",
    content: "A box of pieces that are too short for anything. Last winter they became forty drawer pulls.",
  },
  {
    author: "Ada Brandt",
    date: "2026-11-12",
    published: false,
    title: "Notes for a talk: fitting things together",
    content: `Begin with the drawer that sticks. Everybody has one.

- the drawer
- the slot and the tongue
- which side has to be exact
- questions`,
  },
  {
    author: "Ada Brandt",
    date: "2026-10-30",
    published: false,
    title: "Pegs, wedges, and other second thoughts",
    content: "",
  },
];
