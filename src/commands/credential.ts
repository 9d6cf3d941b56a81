import { MINUTE } from '#lib/time.ts'
import { CommandError, UsageError, type Command } from './command.ts'
import { loadCredentials, saveCredential, type Credential } from './client/credentials.ts'
import { NoForge, signInByDevice } from './client/device.ts'
import { withTerminal } from './client/terminal.ts'

/** git waits for its helper, and the user for git. */
const SIGN_IN_TIMEOUT_MS = 5 * MINUTE

/** The attributes that git sends. They end with an empty line or with the stream. */
async function readAttributes(): Promise<Map<string, string>> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of Bun.stdin.stream()) {
    text += decoder.decode(part, { stream: true })
    if (/(^|\n)\n/.test(text)) break
  }
  return attributesOf(text)
}

/** The attributes that git sends (git-credential(1), "Input/output format"). */
function attributesOf(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line.includes('='))
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

/** The forge of the request; null for remotes without http. */
function forgeOf(attributes: Map<string, string>): string | null {
  const address = `${attributes.get('protocol') ?? ''}://${attributes.get('host') ?? ''}`
  return /^https?:\/\/./.test(address) && URL.canParse(address) ? new URL(address).origin : null
}

/** Signs in at the terminal and stores the token. Returns null when git should go on by itself. */
async function signInAtTerminal(origin: string): Promise<Credential | null> {
  try {
    const made = await withTerminal((print) => signInByDevice(origin, print, SIGN_IN_TIMEOUT_MS))
    if (made === null) {
      process.stderr.write(`hearth: no token for ${origin}; sign in with hearth login ${origin}\n`)
      return null
    }
    saveCredential(origin, made)
    process.stderr.write(`Signed in to ${origin} as ${made.username}.\n`)
    return made
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    process.stderr.write(`hearth: ${error.message}\n`)
    // After a denied sign-in git must not prompt for a password.
    if (!(error instanceof NoForge)) process.stdout.write('quit=1\n')
    return null
  }
}

/**
 * The credential helper of git. `hearth setup-git` registers it for addresses of forges only. On a
 * failure, or without a terminal, it returns nothing, so that git falls back to its own prompt.
 * Instructions go to the terminal and messages to standard error, because git reads standard output.
 */
export const credential: Command = {
  name: 'credential',
  summary: "git's credential helper: gives the token of a forge and signs in when there is none.",
  args: ['get|store|erase'],
  flags: {},

  async run({ args: [action = ''] }) {
    if (action !== 'get' && action !== 'store' && action !== 'erase') {
      // Helpers must ignore unknown actions (gitcredentials(7)).
      if (/^[a-z]+$/.test(action)) return
      throw new UsageError('hearth credential takes get, store or erase')
    }
    const attributes = await readAttributes()
    const origin = forgeOf(attributes)
    if (origin === null) return
    const kept = loadCredentials()[origin]
    const password = attributes.get('password')
    if (action === 'store') {
      const username = attributes.get('username')
      if (username && password && kept?.token !== password)
        saveCredential(origin, { username, token: password })
      return
    }
    if (action === 'erase') {
      // git erases a refused token. A newer token stays.
      if (kept && (password === undefined || password === kept.token)) saveCredential(origin, null)
      return
    }
    const answer = (username: string, token: string) =>
      void process.stdout.write(
        `username=${attributes.get('username') ?? username}\npassword=${token}\n`,
      )
    if (kept) return answer(kept.username, kept.token)
    const made = await signInAtTerminal(origin)
    if (made) answer(made.username, made.token)
  },
}
