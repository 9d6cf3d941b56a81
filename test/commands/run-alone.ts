/** `hearth run` alone, in a process of its own; the other commands take seconds to load. */
import { parseArguments, UsageError } from '#src/commands/command.ts'
import { run } from '#src/commands/run/index.ts'

try {
  process.exitCode = (await run.run(parseArguments(run, process.argv.slice(2)))) ?? 0
} catch (error) {
  process.stderr.write(`hearth: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
process.exit()
