/** Starts the page in the reader's language: first its texts, then the scripts that use them. */

import { loadMessages } from "./shared/messages.js";

try {
  if ("embed" in document.documentElement.dataset) {
    await loadMessages("common", "lobby", "game", "rules", "records");
    await import("./embed/page.js");
  } else {
    await loadMessages("common", "lobby", "game", "rules", "outside");
    await import("./app.js");
  }
} catch (error) {
  const lost = document.getElementById("lost");
  if (lost) {
    lost.textContent = lost.dataset["failed"] ?? "";
    lost.hidden = false;
  }
  throw error;
}
