/** The random numbers SplitMix64, as `engine/kernel/splitmix.py` makes them. */

/** What each number of the generator adds to its state. */
export const STEP = 0x9e3779b97f4a7c15n;

/**
 * The output of the generator for a state.
 * @param {bigint} word of 64 bits, without sign
 * @returns {bigint}
 */
export function mixed(word) {
  word = BigInt.asUintN(64, (word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
  word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn);
  return word ^ (word >> 31n);
}

/**
 * The first numbers of the generator with the seed 0.
 * @param {number} count
 * @returns {bigint[]}
 */
export function randomWords(count) {
  return Array.from({ length: count }, (_, place) => {
    return mixed(BigInt.asUintN(64, BigInt(place + 1) * STEP));
  });
}
