/** What the page uses of uqr: the modules of a QR code, row by row; true is dark. */
export function encode(
  text: string,
  options?: { ecc?: "L" | "M" | "Q" | "H"; border?: number },
): { size: number; data: boolean[][] };
