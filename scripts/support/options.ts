/** Reads `--name value` from the command line of a script. */

/** Thrown for a command line that is wrong; a script prints it and ends with status 2. */
export class OptionError extends Error {}

export type Option = {
  readonly help: string
  readonly default: string
  readonly kind: 'text' | 'count' | 'flag'
}

/**
 * Options by their names, as given or by default. Gives OptionError for a name or a number that is
 * none.
 */
export function readOptions<Name extends string>(
  known: Readonly<Record<Name, Option>>,
  args: readonly string[],
): Record<Name, string> {
  const names = Object.keys(known) as Name[]
  const values = Object.fromEntries(names.map((name) => [name, known[name].default])) as Record<
    Name,
    string
  >
  for (let at = 0; at < args.length; at++) {
    const name = names.find((one) => `--${one}` === args[at])
    if (!name)
      throw new OptionError(
        `${args[at]} is not an option; there are ${names.map((one) => `--${one}`).join(', ')}`,
      )
    const { kind } = known[name]
    if (kind === 'flag') {
      values[name] = 'true'
      continue
    }
    const value = args[++at]
    if (value === undefined) throw new OptionError(`--${name} needs a value`)
    if (kind === 'count' && !/^\d{1,9}$/.test(value))
      throw new OptionError(`--${name} takes a whole number, not ${value}`)
    values[name] = value
  }
  return values
}

export function optionsHelp(usage: string, known: Readonly<Record<string, Option>>): string {
  const words = { flag: '', count: ' N', text: ' TEXT' }
  const rows = Object.entries(known).map(([name, option]): [string, string] => [
    `--${name}${words[option.kind]}`,
    option.help + (option.default === '' ? '' : ` (${option.default})`),
  ])
  const width = Math.max(...rows.map(([left]) => left.length))
  return `usage: ${usage}\n\n${rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')}\n`
}

/**
 * Runs a script: prints help when asked, one line for what went wrong, and ends the process with
 * its status.
 */
export async function runScript<Name extends string>(
  usage: string,
  known: Readonly<Record<Name, Option>>,
  main: (options: Record<Name, string>) => Promise<number>,
): Promise<never> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    process.stdout.write(optionsHelp(usage, known))
    process.exit(0)
  }
  try {
    process.exit(await main(readOptions(known, args)))
  } catch (error) {
    process.stderr.write(
      `${error instanceof OptionError ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    )
    process.exit(error instanceof OptionError ? 2 : 1)
  }
}
