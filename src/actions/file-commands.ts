/**
 * The files by which a step sets environment, outputs and state: `name=value` on a line, or
 * `name<<delimiter`, the lines of the value, and the delimiter.
 */

/** A file of a step has at most so many bytes. */
export const MAX_COMMAND_FILE_BYTES = 1024 ** 2

/** What is wrong with a file; the message is one line for the author. */
export class CommandFileFault extends Error {}

/** The pairs of a file, in its order. Throws CommandFileFault. */
export function readPairs(text: string): [string, string][] {
  const pairs: [string, string][] = []
  const lines = text.split(/\r?\n/)
  for (let n = 0; n < lines.length; n++) {
    const line = lines[n] ?? ''
    if (line === '') continue
    const equals = line.indexOf('=')
    const heredoc = line.indexOf('<<')
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      pairs.push([nameOf(line.slice(0, equals), n), line.slice(equals + 1)])
    } else if (heredoc >= 0) {
      const delimiter = line.slice(heredoc + 2)
      const end = delimiter === '' ? -1 : lines.indexOf(delimiter, n + 1)
      if (end < 0)
        throw new CommandFileFault(
          `line ${n + 1}: the delimiter ${JSON.stringify(delimiter.slice(0, 60))} does not end the value`,
        )
      pairs.push([nameOf(line.slice(0, heredoc), n), lines.slice(n + 1, end).join('\n')])
      n = end
    } else
      throw new CommandFileFault(`line ${n + 1}: ${JSON.stringify(line.slice(0, 60))} has no =`)
  }
  return pairs
}

function nameOf(text: string, line: number): string {
  const name = text.trim()
  if (name === '') throw new CommandFileFault(`line ${line + 1}: the name is missing`)
  return name
}

/** Whether a step may set a variable of this name. */
export const isSettable = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) &&
  !/^(?:GITHUB|RUNNER|HEARTH)_/i.test(name) &&
  name.toUpperCase() !== 'NODE_OPTIONS'

/** The folders of a file for PATH, the last one first. */
export const readPaths = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .toReversed()
