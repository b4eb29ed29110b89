import type { Account } from "./requests.js";
import type { Session } from "../shared/session.js";

/** What a section needs: the account, the session, and how to do something and show the result. */
export interface Scene {
  account: Account;
  session: Session;
  /** A sentence that `work` returns is shown. */
  act: (work: () => Promise<unknown>) => Promise<void>;
}
