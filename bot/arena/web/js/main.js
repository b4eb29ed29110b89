/** Starts the page in the reader's language: first its texts, then the scripts that use them. */

import { translateDocument } from "./shared/document_texts.js";
import { loadMessages } from "./shared/messages.js";
import { STATIC } from "./shared/site.js";

try {
  if ("embed" in document.documentElement.dataset) {
    await loadMessages("common", "lobby", "game", "rules", "records");
    await import("./embed/page.js");
  } else {
    await loadMessages("common", "lobby", "game", "rules", "outside");
    STATIC && translateDocument();
    await import("./app.js");
  }
} catch (error) {
  const lost = document.getElementById("lost");
  if (lost) {
    lost.textContent = lost.dataset[navigator.onLine ? "failed" : "offline"] ?? "";
    lost.hidden = false;
  }
  throw error;
}
