/** Calls functions for a test in Python: `answers` of scripts.py writes the calls, and reads the answers. */

/**
 * Read a JSON list of calls, each `[name, ...arguments]`, and print the list of their answers.
 * @param {Record<string, (...values: any[]) => unknown>} functions by name
 */
export async function answerCalls(functions) {
  /** @type {[string, ...unknown[]][]} */
  const calls = await new Response(Deno.stdin.readable).json();
  const answers = [];
  for (const [name, ...values] of calls) {
    answers.push(await functions[name]?.(...values));
  }
  await new Response(JSON.stringify(answers)).body?.pipeTo(Deno.stdout.writable);
}
