/** Builds elements without a framework. */

import { addressOf } from "./site.js";

const SVG = "http://www.w3.org/2000/svg";
/** The attributes with addresses. */
const ADDRESSES = new Set(["href", "src"]);

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Attributes */

/**
 * An HTML element. Attributes beginning with `on` are event listeners; `true` sets an empty
 * attribute; null, undefined and false set none.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

/**
 * An SVG element, with the conventions of `h`.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  element.append(...present(children));
  return element;
}

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (value === null || value === undefined || value === false) {
      element.removeAttribute(name);
    } else {
      const text = value === true ? "" : inBrowser(name, String(value));
      // An attribute that is written costs style and layout, also if it is the same as before.
      if (element.getAttribute(name) !== text) {
        element.setAttribute(name, text);
      }
    }
  }
}

/**
 * The value of an attribute; an address of this arena gets the path before it.
 * @param {string} name
 * @param {string} text
 */
function inBrowser(name, text) {
  return ADDRESSES.has(name) && text.startsWith("/") ? addressOf(text) : text;
}

/**
 * Replace the children of an element; the focus stays on the child with the same `data-key`.
 * @param {Element} container
 * @param {...(Child | Child[])} children
 */
export function replace(container, ...children) {
  const focused = document.activeElement;
  const key = focused && container.contains(focused) ? focused.getAttribute("data-key") : null;
  container.replaceChildren(...present(children));
  if (key !== null) {
    const again = container.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (again instanceof HTMLElement || again instanceof SVGElement) {
      again.focus({ preventScroll: true });
    }
  }
}

/**
 * @param {(Child | Child[])[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/**
 * The element that matches a selector. Throws if no element matches.
 * @template {Element} Kind
 * @param {ParentNode} container
 * @param {string} selector
 * @param {{new (): Kind}} kind
 */
export function find(container, selector, kind) {
  const element = container.querySelector(selector);
  if (!(element instanceof kind)) {
    throw new Error(`there is no ${kind.name} at ${selector}`);
  }
  return element;
}

/**
 * The element of that id in index.html.
 * @param {string} id
 */
export function byId(id) {
  return find(document, `#${id}`, HTMLElement);
}
