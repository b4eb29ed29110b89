/** The declarations for programs in TypeScript are true: `deno check` compares them with the code. */

import * as code from "../../../tools/npm/index.js";
import type * as declared from "../../../tools/npm/index.d.ts";

export const checked: typeof declared = code;
