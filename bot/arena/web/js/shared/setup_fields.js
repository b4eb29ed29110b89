/** Parts of forms: groups of fields, chips and cards. */

import { h } from "./dom.js";

/** @import { Child } from "./dom.js" */

/**
 * The value of a field; "" if there is no such field.
 * @param {Element} container
 * @param {string} selector
 */
export function valueOf(container, selector) {
  const field = container.querySelector(selector);
  const isField = field instanceof HTMLInputElement || field instanceof HTMLSelectElement;
  return isField ? field.value : "";
}

/**
 * @param {string} legend
 * @param {string} style
 * @param {Child[]} content
 */
export function fieldset(legend, style, content) {
  return h("fieldset", {}, h("legend", {}, legend), h("div", { class: style }, content));
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} label
 * @param {string} chosen
 * @param {string} [hint]
 */
export function chip(name, value, label, chosen, hint = "") {
  const input = h("input", { type: "radio", name, value, checked: value === chosen });
  return h("label", { class: "chip", title: hint || null }, input, h("span", {}, label));
}

/**
 * A choice with a picture; `style` says how large it is.
 * @param {{name: string, value: string, checked: boolean, style: string}} choice
 * @param {...Child} content
 */
export function card({ name, value, checked, style }, ...content) {
  const input = h("input", { type: "radio", name, value, checked });
  return h("label", { class: `card ${style}` }, input, content);
}
