/** Requests another name over a separate connection, so that a refusal does not end the page's. */

// @ts-types="../../vendor/socket.io.esm.min.d.ts"
import { io } from "../../vendor/socket.io.esm.min.js";
import { t } from "../shared/messages.js";
import { VERSION } from "../shared/protocol.js";
import { refusalWords } from "../shared/server_words.js";
import { addressOf } from "../shared/site.js";
import { load, save } from "../shared/storage.js";

/** @import { Socket } from "../../vendor/socket.io.esm.min.d.ts" */
/** @import { Credentials, ServerEvents } from "../shared/wire.d.ts" */

const DEADLINE_MS = 8000;

/**
 * Request a name. If it is granted, the server sends it to all connections of this person.
 * @param {string} name
 * @param {string | undefined} former
 * @returns {Promise<string>} why it is not granted, in a sentence; "" if it is
 */
export async function takeName(name, former) {
  /** @type {Credentials} */
  const auth = { v: VERSION, guest_key: load("guest_key", null), name };
  if (auth.guest_key === null) {
    return t("common.name.not_stored"); // without the key, the server would make a new player
  }
  /** @type {Socket<ServerEvents>} */
  const socket = io({
    path: addressOf("/socket.io/"),
    auth,
    autoConnect: false,
    forceNew: true,
    reconnection: false,
    transports: ["websocket"],
  });
  return await new Promise((resolve) => {
    const end = (/** @type {string} */ problem) => {
      clearTimeout(late);
      socket.disconnect();
      resolve(problem);
    };
    const late = setTimeout(() => end(t("common.name.no_answer")), DEADLINE_MS);
    socket.on("welcome", ({ you }) => {
      if (you.name === former) {
        end(t("common.name.bound"));
      } else {
        save("name", you.name);
        end("");
      }
    });
    socket.on("connect_error", ({ data }) => {
      const { code, message } = data ?? {};
      end(code && message ? refusalWords({ code, message }) : t("common.name.no_answer"));
    });
    socket.connect();
  });
}
