/** What a command of the executable is, and how its arguments are read. */
import { nearest } from '#lib/nearest.ts'

export type Flag = { readonly value?: string; readonly help: string }

export type Command = {
  readonly name: string
  /** What `--help` says of it. */
  readonly summary: string
  /** One line for the list of commands, when the summary is longer. */
  readonly brief?: string
  /**
   * Names of what follows the command, in order, as the help shows them (`OWNER/NAME`); `[URL]` may
   * be left out.
   */
  readonly args: readonly string[]
  readonly flags: Readonly<Record<string, Flag>>
  /** Reads its own words: all of them are in `args`, flags too. */
  readonly raw?: boolean
  /** Gives the exit status, or nothing for 0. Errors thrown become one line and status 1. */
  run(input: { args: string[]; flags: Record<string, string | true> }): Promise<number | void>
}

/** The command line is wrong: exit status 2. */
export class UsageError extends Error {}

/** Something went wrong that the person can read in one line: exit status 1. */
export class CommandError extends Error {}

/** Flags that every command that opens the data directory takes. */
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
 * Splits the words after the command's name. `--flag value` and `--flag=value` both work; `--` ends
 * the flags.
 */
export function parseArguments(
  command: Command,
  words: readonly string[],
): { args: string[]; flags: Record<string, string | true>; help: boolean } {
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
  const least = command.args.filter((name) => !name.startsWith('[')).length
  if (!help && (args.length < least || args.length > command.args.length)) {
    throw new UsageError(
      `usage: hearth ${[command.name, ...command.args].join(' ')}; see hearth ${command.name} --help`,
    )
  }
  return { args, flags, help }
}

export const text = (value: string | true | undefined): string | undefined =>
  value === true ? undefined : value
