/** A table as text: the first column to the left, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)))
  const line = (cells: readonly string[]) => widths.map((width, at) => (at === 0 ? (cells[at] ?? '').padEnd(width) : (cells[at] ?? '').padStart(width))).join('  ').trimEnd()
  return `${[line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')}\n`
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
export const ratio = (value: number): string => value.toFixed(2)
export const mib = (value: number): string => value.toFixed(1)
