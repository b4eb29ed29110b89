import { strictEqual } from "node:assert/strict";
import { t } from "../../../bot/arena/web/js/shared/messages.js";

Deno.test("a text has the form of its number", () => {
  strictEqual(t("common.days", { n: 1 }), "1 day");
  strictEqual(t("common.days", { n: 3 }), "3 days");
});

Deno.test("a text that does not exist is shown by its key", () => {
  strictEqual(t("common.no_such_text"), "common.no_such_text");
});
