// A file of a change, or a part that goes on with one. Its element names the path and the lines around it.

/** The id of a file, also for a part that goes on with it. */
export const anchorOf = (file: Element | null): string => file?.id.split('-')[0] ?? ''

/** Limits an address to a file that is open, with the lines of it that are shown. */
export function limitToFile(url: URL, file: HTMLElement | null, lines = file?.dataset.lines): void {
  url.searchParams.set('only', file?.dataset.path ?? '')
  if (lines !== undefined) url.searchParams.set('lines', lines)
}
