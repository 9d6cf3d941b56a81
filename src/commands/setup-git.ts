import { clientSettings } from '#src/config.ts'
import { CommandError, UsageError, type Command } from './command.ts'
import { loadCredentials, originOf } from './client/credentials.ts'

/** The command with which the shell of git runs this program. */
function ownCommand(): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
  const isBuilt = /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/.test(Bun.main)
  return [process.execPath, ...(isBuilt ? [] : [Bun.main])].map(quoted).join(' ')
}

async function configure(...words: string[]): Promise<void> {
  let child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>
  try {
    child = Bun.spawn(['git', 'config', '--global', ...words], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
  } catch {
    throw new CommandError('git is not installed here')
  }
  const [said, status] = await Promise.all([new Response(child.stderr).text(), child.exited])
  if (status !== 0) throw new CommandError(`git config failed: ${said.trim().split('\n')[0] ?? ''}`)
}

export const setupGit: Command = {
  name: 'setup-git',
  summary:
    'Makes git sign in to a forge by itself: registers hearth credential for its address, or for all you signed in to.',
  args: ['[URL]'],
  flags: {},

  async run({ args: [address] }) {
    const { url } = clientSettings()
    const named = address ?? url
    const origins = named === undefined ? Object.keys(loadCredentials()) : [originOf(named)]
    if (origins.length === 0) throw new UsageError('name the forge: hearth setup-git URL')
    for (const origin of origins) {
      // An empty value removes general helpers, which would be asked first and store the token.
      await configure('--replace-all', `credential.${origin}.helper`, '')
      await configure('--add', `credential.${origin}.helper`, `!${ownCommand()} credential`)
      process.stdout.write(`git signs in to ${origin} by itself now\n`)
    }
  },
}
