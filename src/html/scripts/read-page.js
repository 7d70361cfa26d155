/** A page as it is now; undefined where it is not reached or leads elsewhere: what is shown stays until the next time. */
export async function readPage(address) {
  try {
    const answer = await fetch(address, { headers: { Accept: 'text/html' } });
    if (!answer.ok || answer.redirected) return undefined;
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  } catch {
    return undefined;
  }
}
