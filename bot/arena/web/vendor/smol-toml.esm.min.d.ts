/** What the page uses of smol-toml: a table, in which moments are objects of `Date`. */
export function parse(text: string): Record<string, unknown>;
