/** What of a page is shown while it is loaded. */

/** After this time a page shows what it has. */
const PATIENCE_MS = 3000;

/**
 * Show only the first part of a page until its content is there. Then everything appears at once:
 * parts that arrive one after the other push the rest of the page around.
 * @param {HTMLElement} page
 * @returns {() => void} shows the page
 */
export function hiddenUntilReady(page) {
  page.classList.add("loading");
  const waiting = setTimeout(() => page.classList.remove("loading"), PATIENCE_MS);
  return () => {
    clearTimeout(waiting);
    page.classList.remove("loading");
  };
}
