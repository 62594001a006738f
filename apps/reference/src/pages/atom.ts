import type { Post } from "../posts/post.ts";
import { toSummary } from "./post-view.ts";
import { withoutBidiControls } from "./shown-text.ts";

export const feedPath = "/feed.xml";

/**
 * Posts as an Atom feed (RFC 4287). Links are relative to the address of the feed: an address made from the `Host` header
 * could be forged. Ids are URNs, so that they stay the same when the blog moves.
 */
export function toAtom(feedId: string, posts: readonly Post[]): string {
  // the start value is for a feed without entries, which must have a time too
  const updated = posts.map((post) => post.updated_at).reduce(later, "1970-01-01T00:00:00.000Z");
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(feedId)}</id>
<title>Workbench</title>
<subtitle>Notes by people who build things, and take them apart again.</subtitle>
<updated>${escapeXml(updated)}</updated>
<link rel="self" type="application/atom+xml" href="${feedPath}"/>
<link rel="alternate" type="text/html" href="/"/>
${posts.map(toEntry).join("")}</feed>
`;
}

function toEntry(post: Post): string {
  const { title, author, excerpt } = toSummary(post);
  return `<entry>
<id>urn:uuid:${escapeXml(post.id)}</id>
<title>${escapeXml(withoutBidiControls(title))}</title>
<link rel="alternate" type="text/html" href="/posts/${escapeXml(encodeURIComponent(post.id))}"/>
<published>${escapeXml(post.created_at)}</published>
<updated>${escapeXml(post.updated_at)}</updated>
<author><name>${escapeXml(withoutBidiControls(author))}</name></author>
<summary>${escapeXml(withoutBidiControls(excerpt))}</summary>
</entry>
`;
}

function later(one: string, other: string): string {
  return one < other ? other : one;
}

/** XML allows neither most control characters nor lone surrogates, not even as references (XML 1.0, 2.2). */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
