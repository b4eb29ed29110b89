/** A row of buttons as one stop of the Tab key: inside it, arrow keys move. */

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/**
 * The button that is the tab stop at first has `tabindex` 0, the others have -1.
 * @param {HTMLElement} row
 */
export function rove(row) {
  const buttons = () => [...row.querySelectorAll("button")];
  row.addEventListener("focusin", (event) => {
    buttons().forEach((button) => {
      button.tabIndex = button === event.target ? 0 : -1;
    });
  });
  row.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step !== undefined) {
      const all = buttons();
      const at = all.findIndex((button) => button === document.activeElement);
      all[Math.min(all.length - 1, Math.max(0, at + step))]?.focus();
      // Everywhere else on a game's page, arrow keys step through the turns.
      event.preventDefault();
      event.stopPropagation();
    }
  });
}
