/**
 * Disables controls that send a request while the server cannot hear them.
 *
 * Problem: a press before `welcome`, or while the connection is lost, sends nothing, and the person
 * waits for an answer that does not come. Idea: such a control has the attribute
 * `data-needs-connection`, and this module alone gives it `aria-disabled` and stops its clicks until
 * the page is online. A click also stands for the keys Enter and Space, and for the Enter key in a
 * field of its form. Rejected: `disabled`, which takes the focus away from a person who is at the
 * control when the connection is lost, and `inert` on the page, which also locks what works without
 * a connection. Text fields are never locked, so that nobody loses words while they write them. In
 * a part of the page with `data-on-device`, the page itself answers, so only those are locked whose
 * attribute is `server`.
 */

/** @import { Connection } from "../shared/connection.js" */

const GATED = "[data-needs-connection]:not([data-on-device] *), [data-needs-connection=server]";

/** @param {Connection} connection */
export function gateControls(connection) {
  /** Those that are disabled, also while they are not in the document. @type {Set<Element>} */
  const closed = new Set();
  const close = (/** @type {Node} */ part) => {
    if (part instanceof Element) {
      const inside = part.querySelectorAll(GATED);
      for (const control of part.matches(GATED) ? [part, ...inside] : inside) {
        control.setAttribute("aria-disabled", "true");
        closed.add(control);
      }
    }
  };
  const arrivals = new MutationObserver((changes) =>
    changes.forEach(({ addedNodes }) => addedNodes.forEach(close))
  );
  const update = () => {
    if (connection.online) {
      arrivals.disconnect();
      closed.forEach((control) => control.removeAttribute("aria-disabled"));
      closed.clear();
    } else {
      close(document.body);
      arrivals.observe(document.body, { childList: true, subtree: true });
    }
  };
  const stop = (/** @type {Event} */ event) => {
    const isGated = event.target instanceof Element && event.target.closest(GATED) !== null;
    if (isGated && !connection.online) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  connection.statusChanged.on(update);
  document.addEventListener("click", stop, { capture: true });
  update();
}
