/** Commands of the executable, and how their arguments are parsed. */
import { nearest } from '#lib/nearest.ts'

export type Flag = { readonly value?: string; readonly help: string }

export type Flags = Readonly<Record<string, string | true>>

export type CommandInput = { readonly args: readonly string[]; readonly flags: Flags }

export type Command = {
  readonly name: string
  /** The text of `--help`. */
  readonly summary: string
  /** One line for the list of commands, when the summary is longer. */
  readonly brief?: string
  /**
   * The names of its arguments, as the help shows them (`OWNER/NAME`). `[URL]` is optional, and
   * `[PATH...]` at the end takes any number.
   */
  readonly args: readonly string[]
  readonly flags: Readonly<Record<string, Flag>>
  /** Whether the command parses its flags itself. Then all words are in `args`. */
  readonly raw?: boolean
  /** Returns the exit status, or nothing for 0. A thrown error is one line and status 1. */
  run(input: CommandInput): Promise<number> | Promise<void>
}

/** The command line is wrong: exit status 2. */
export class UsageError extends Error {}

/** A failure with a message of one line for the person: exit status 1. */
export class CommandError extends Error {}

/** The flags of every command that opens the data directory. */
export const DATA_FLAGS: Readonly<Record<string, Flag>> = {
  data: { value: 'DIR', help: 'The data directory (./data).' },
  config: { value: 'FILE', help: 'The settings file (hearth.toml in the data directory).' },
}

export function helpOf(command: Command): string {
  const rows = Object.entries(command.flags).map(([name, flag]): [string, string] => [
    `--${name}${flag.value ? ` ${flag.value}` : ''}`,
    flag.help,
  ])
  const width = Math.max(0, ...rows.map(([left]) => left.length)) + 2
  const flags = [...rows, ['--help', 'Shows this.'] as const].map(
    ([left, right]) => `  ${left.padEnd(Math.max(width, 8))}${right}`,
  )
  return [
    `hearth ${[command.name, ...command.args].join(' ')}`,
    '',
    command.summary,
    '',
    ...flags,
    '',
  ].join('\n')
}

/**
 * Splits the words after the name of a command into arguments and flags. `--flag value` and
 * `--flag=value` both work; `--` ends the flags. Throws UsageError.
 */
export function parseArguments(
  command: Command,
  words: readonly string[],
): CommandInput & { readonly help: boolean } {
  if (command.raw)
    return { args: [...words], flags: {}, help: words[0] === '--help' || words[0] === '-h' }
  const args: string[] = []
  const flags: Record<string, string | true> = {}
  let help = false
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') {
      args.push(...words.slice(i + 1))
      break
    }
    if (word === '--help' || word === '-h') help = true
    else if (word.startsWith('-') && word !== '-') {
      const [name = '', inline] = word.replace(/^--?/, '').split(/=(.*)/s)
      const flag = command.flags[name]
      if (!flag) {
        const known = Object.keys(command.flags)
        throw new UsageError(
          `hearth ${command.name} has no flag --${name}${known.length > 0 ? `; did you mean --${nearest(name, known)}?` : ''}`,
        )
      }
      if (!flag.value) {
        if (inline !== undefined) throw new UsageError(`--${name} takes no value`)
        flags[name] = true
      } else {
        const value = inline ?? words[++i]
        if (value === undefined) throw new UsageError(`--${name} needs a value: ${flag.value}`)
        flags[name] = value
      }
    } else args.push(word)
  }
  const minArgs = command.args.filter((name) => !name.startsWith('[')).length
  const maxArgs = command.args.at(-1)?.endsWith('...]') ? Infinity : command.args.length
  if (!help && (args.length < minArgs || args.length > maxArgs)) {
    throw new UsageError(
      `usage: hearth ${[command.name, ...command.args].join(' ')}; see hearth ${command.name} --help`,
    )
  }
  return { args, flags, help }
}

/** The value of a flag; undefined when it is not set. */
export const text = (value: string | true | undefined): string | undefined =>
  value === true ? undefined : value
