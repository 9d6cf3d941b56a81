/**
 * Commands in the output of a step: `::name key=value,…::data` and the older
 * `##[name key=value;…]data`. A command stands at the beginning of a line.
 */

export type Command = {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

const V2 = { start: '::', end: '::', separator: ',' }
const V1 = { start: '##[', end: ']', separator: ';' }

const unescapeData = (text: string): string =>
  text.replace(/%0D/g, '\r').replace(/%0A/g, '\n').replace(/%25/g, '%')

const unescapeProperty = (text: string): string =>
  unescapeData(
    text.replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%3B/g, ';').replace(/%5D/g, ']'),
  )

/** The command of a line; null when the line is text. */
export function parseCommand(line: string): Command | null {
  const form = line.startsWith(V2.start) ? V2 : line.startsWith(V1.start) ? V1 : null
  if (!form) return null
  const end = line.indexOf(form.end, form.start.length)
  if (end < 0) return null
  const head = line.slice(form.start.length, end)
  const space = head.indexOf(' ')
  const name = (space < 0 ? head : head.slice(0, space)).toLowerCase()
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) return null
  const entries: [string, string][] = []
  for (const pair of space < 0 ? [] : head.slice(space + 1).split(form.separator, 32)) {
    const equals = pair.indexOf('=')
    if (equals <= 0) continue
    entries.push([pair.slice(0, equals).trim(), unescapeProperty(pair.slice(equals + 1))])
  }
  return {
    name,
    properties: Object.fromEntries(entries),
    data: unescapeData(line.slice(end + form.end.length)),
  }
}

/** The words between `stop-commands` and the command of the same name are text. */
export class CommandReader {
  #stopped: string | null = null

  /** The command of a line that is to be obeyed; null for text. */
  read(line: string): Command | null {
    if (!line.startsWith(V2.start) && !line.startsWith(V1.start)) return null
    const command = parseCommand(line)
    if (!command) return null
    if (this.#stopped !== null) {
      if (command.name !== this.#stopped) return null
      this.#stopped = null
      return command
    }
    if (command.name === 'stop-commands') {
      // A token that is the name of a command would let the output begin again by itself.
      const token = command.data.toLowerCase()
      if (/^[a-z][a-z0-9-]{7,63}$/.test(token)) this.#stopped = token
    }
    return command
  }
}
