import type { Command } from './command.ts'
import { originOf, saveCredential } from './client/credentials.ts'
import { signInByDevice } from './client/device.ts'

export const login: Command = {
  name: 'login',
  summary:
    'Signs in to a forge: prints a link to approve in a browser, and keeps the token for git and hearth api.',
  args: ['URL'],
  flags: {},

  run: async ({ args: [address = ''] }) => {
    const origin = originOf(address)
    const credential = await signInByDevice(origin, (text) => void process.stdout.write(text))
    saveCredential(origin, credential)
    process.stdout.write(`Signed in to ${origin} as ${credential.username}.\n`)
  },
}
