/**
 * The end of the address of a file that leads to a line, or to a range. `from` names the part of a
 * long file that has the line.
 */
export const lineAddress = (line: number, last = line): string =>
  `${line > 1 ? `?from=${line}` : ''}#L${line}${last > line ? `-L${last}` : ''}`
