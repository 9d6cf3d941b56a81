/** A table as text: the first column to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)),
  )
  const cell = (text: string, at: number, width: number): string =>
    at === 0 ? text.padEnd(width) : text.padStart(width)
  const line = (cells: readonly string[]) =>
    widths
      .map((width, at) => cell(cells[at] ?? '', at, width))
      .join('  ')
      .trimEnd()
  return `${[line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')}\n`
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const ratio = (value: number): string => value.toFixed(2)
export const mib = (value: number): string => value.toFixed(1)
