/// <reference lib="deno.ns" />
/**
 * Runs before each test: what the page's modules need outside a browser. They are loaded in English.
 *
 * It has only what the tested modules use. A test of layout, focus or events belongs into a browser.
 */

const PAGE = new URL("../../bot/arena/web/", import.meta.url);

class Node {
  /** @type {(Node | string)[]} */
  children = [];

  /** @param {...(Node | string)} children */
  append(...children) {
    this.children.push(...children);
  }

  /** @param {...(Node | string)} children */
  replaceChildren(...children) {
    this.children = children;
  }

  /** @returns {string} */
  get textContent() {
    return this.children.map((child) => typeof child === "string" ? child : child.textContent)
      .join("");
  }
}

class Element extends Node {
  /** @type {Map<string, string>} */
  #attributes = new Map();

  /** @param {string} name */
  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  setAttribute(name, value) {
    this.#attributes.set(name, value);
  }

  /** @param {string} name */
  removeAttribute(name) {
    this.#attributes.delete(name);
  }

  addEventListener() {}
}

/**
 * A file of the page, whose path is its address, but for a version after it; or the file at a URL.
 * @param {string} address
 */
async function fetchFile(address) {
  const path = address.split("?")[0] ?? "";
  if (path === "/messages/en/outside.json") {
    return Response.json(outside());
  }
  const file = new URL(path.startsWith("/") ? `.${path}` : path, PAGE);
  return new Response(await Deno.readFile(file));
}

/** The texts of capabilities for other parts of the page, as the server gathers them. */
function outside() {
  const areas = [...Deno.readDirSync(new URL("messages/en/", PAGE))];
  return Object.fromEntries(areas.flatMap(({ name: file }) => {
    const texts = JSON.parse(Deno.readTextFileSync(new URL(`messages/en/${file}`, PAGE)));
    return Object.entries(texts)
      .filter(([name]) => name.startsWith("outside."))
      .map(([name, text]) => [file.replace("json", "") + name.replace("outside.", ""), text]);
  }));
}

Object.assign(globalThis, {
  Node,
  document: {
    documentElement: { lang: "en", dataset: {} },
    activeElement: null,
    createElement: () => new Element(),
    createElementNS: () => new Element(),
  },
  fetch: fetchFile,
});

const { loadMessages } = await import("../../bot/arena/web/js/shared/messages.js");
const files = [...Deno.readDirSync(new URL("messages/en/", PAGE))];
await loadMessages("outside", ...files.map(({ name }) => name.replace(".json", "")));
