/**
 * The end of the address of a file that leads to a line, or to a range. `from` names the part of a
 * long file that has the line, and the source of a file that is shown rendered.
 */
export const lineAddress = (line: number, last = line): string =>
  `?from=${line}#L${line}${last > line ? `-L${last}` : ''}`
