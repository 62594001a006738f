import { encode } from "uqr";

/** The empty border that scanners need, in modules (ISO/IEC 18004, 6.3.8). */
const border = 4;

/**
 * A QR code as an SVG element for a page: without script, style or ids, dark on white in dark mode too, and with a title
 * for screen readers.
 */
export function toQrSvg(text: string, title: string): string {
  const { data, size } = encode(text, { ecc: "M", border: 0 });
  const width = size + 2 * border;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${width}" width="${width * 5}" height="${width * 5}" role="img" shape-rendering="crispEdges">` +
    `<title>${escapeText(title)}</title>` +
    `<path fill="#fff" d="M0 0h${width}v${width}H0z"/>` +
    `<path fill="#000" d="${data.map(toRuns).join("")}"/>` +
    "</svg>"
  );
}

/** One row: a rectangle for each run of dark modules. Separate squares would show seams where a browser scales them. */
function toRuns(row: readonly boolean[], y: number): string {
  const bits = row.map((isDark) => (isDark ? "1" : "0")).join("");
  return [...bits.matchAll(/1+/g)]
    .map(({ index, 0: { length } }) => `M${index + border} ${y + border}h${length}v1h-${length}z`)
    .join("");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** A secret as a person types it: `ABCD EFGH`. */
export function inGroupsOfFour(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(" ") ?? "";
}
