/** Copying a text that a field shows. */

/**
 * Copy the text of a field. Where the browser does not allow that, it is selected, so that the
 * person can copy it.
 * @param {HTMLInputElement} field
 * @returns {Promise<boolean>} whether it was copied
 */
export async function copyField(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return false;
  }
}
