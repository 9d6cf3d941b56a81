/**
 * The executable. The first argument is a command. The exit status is 0, 1 (failure, with its
 * reason in one line) or 2 (wrong usage).
 */
import './production.ts'
import { commands } from './commands/index.ts'
import {
  CommandError,
  helpOf,
  parseArguments,
  UsageError,
  type Command,
} from './commands/command.ts'
import { ConfigError } from './config.ts'
import { UpgradeError } from './upgrade.ts'
import { BackupError } from '#backup'
import { Refusal } from '#lib/errors.ts'
import { nearest } from '#lib/nearest.ts'

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 3
  return [
    'Hearth, a git forge for people and software agents.',
    '',
    ...commands.map(
      ({ name, summary, brief }) => `  hearth ${name.padEnd(width)}${brief ?? summary}`,
    ),
    '',
    'Each command answers --help.',
    '',
  ].join('\n')
}

const fail = (message: string, status: number): number => {
  process.stderr.write(`hearth: ${message}\n`)
  return status
}

async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(overview())
    return 0
  }
  const commandName = name === '--version' ? 'version' : name
  const command: Command | undefined = commands.find((one) => one.name === commandName)
  if (!command)
    return fail(
      `there is no command ${name}; did you mean ${nearest(
        name,
        commands.map((one) => one.name),
      )}?`,
      2,
    )
  try {
    const { args, flags, help } = parseArguments(command, rest)
    if (help) {
      process.stdout.write(helpOf(command))
      return 0
    }
    return (await command.run({ args, flags })) ?? 0
  } catch (error) {
    if (error instanceof UsageError) return fail(error.message, 2)
    if (
      error instanceof ConfigError ||
      error instanceof CommandError ||
      error instanceof UpgradeError ||
      error instanceof BackupError ||
      error instanceof Refusal
    )
      return fail(error.message, 1)
    return fail(error instanceof Error ? error.message : String(error), 1)
  }
}

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error) =>
  process.exit((error as { code?: unknown }).code === 'EPIPE' ? 0 : 1),
)
process.exitCode = await main(process.argv.slice(2))
// Workers and timers must not keep the process after the command.
if (process.exitCode !== undefined) process.exit()
