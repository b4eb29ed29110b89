/** The menu in the frame: the pages that have no link of their own there. */

/**
 * Let a `<details>` behave like a menu: it closes at a press outside, on a link, or of Escape.
 * @param {HTMLElement} menu
 */
export function makeMenu(menu) {
  const close = () => menu.removeAttribute("open");
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target || !menu.contains(target) || target.closest("a")) {
      close();
    }
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.hasAttribute("open")) {
      event.stopPropagation();
      close();
      menu.querySelector("summary")?.focus();
    }
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget)) {
      close();
    }
  });
}
