import { VERSION } from '#src/config.ts'
import type { Command } from './command.ts'

export const version: Command = {
  name: 'version',
  summary: 'Prints the version.',
  args: [],
  flags: {},
  run: async () => void process.stdout.write(`hearth ${VERSION}\n`),
}
