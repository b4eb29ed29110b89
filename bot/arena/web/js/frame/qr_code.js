/** A text as a QR code. A separate module, because it is loaded on demand. */

// @ts-types="../../vendor/uqr.esm.min.d.ts"
import { encode } from "../../vendor/uqr.esm.min.js";
import { svg } from "../shared/dom.js";

const QUIET_ZONE = 4;

/**
 * @param {string} text
 * @param {string} label what it is, in words
 */
export function qrCode(text, label) {
  const { size, data } = encode(text, { ecc: "M", border: QUIET_ZONE });
  const dark = data.flatMap((row, y) => row.map((isDark, x) => isDark ? `M${x} ${y}h1v1h-1z` : ""));
  return svg(
    "svg",
    { class: "qr-code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label },
    svg("path", { d: dark.join(""), "shape-rendering": "crispEdges" }),
  );
}
