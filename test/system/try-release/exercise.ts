/**
 * What every executable, package and image must do where it is put: start, be ready, take a push,
 * give it back, keep it, and stop.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, startForge, type ForgeProcess } from '../../../scripts/support/forge.ts'
import { git, withToken } from '../../../scripts/support/git.ts'

/**
 * How a forge is started there: a program that takes the words of `serve`, and where it keeps its
 * data.
 */
export type Place = { readonly executable: string; readonly data: string }

export type Made = { readonly token: string; readonly commit: string }

const start = ({ executable, data }: Place, log: string): Promise<ForgeProcess> =>
  startForge({ executable, data, log })

async function within<T>(
  place: Place,
  use: (forge: ForgeProcess, work: string) => Promise<T>,
): Promise<T> {
  const work = mkdtempSync(join(tmpdir(), 'hearth-try-'))
  const forge = await start(place, join(work, 'log')).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${readFileSync(join(work, 'log'), 'utf8').slice(-2000)}`)
  })
  try {
    for (const path of ['/livez', '/readyz']) {
      const response = await fetch(forge.url + path)
      if (response.status !== 200)
        throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    }
    const result = await use(forge, work)
    const status = await forge.stop()
    if (status !== 0) throw new Error(`it ended with status ${status}`)
    return result
  } finally {
    await forge.kill()
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Makes the first account and a repository, and pushes to it. Gives an Error with what went wrong.
 */
export const exercise = (place: Place): Promise<Made> =>
  within(place, async (forge, work) => {
    const { token } = await claim(forge)
    const made = await fetch(`${forge.url}/api/v1/repos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace: 'acme', name: 'site' }),
    })
    if (!made.ok) throw new Error(`a repository could not be made: ${await made.text()}`)
    const clone = join(work, 'clone')
    mkdirSync(clone)
    await git(clone, 'init', '-q', '-b', 'main')
    for (let file = 0; file < 50; file++)
      writeFileSync(join(clone, `file-${file}`), `${file}\n`.repeat(500))
    await git(clone, 'add', '.')
    await git(clone, 'commit', '-q', '-m', 'All of it')
    await git(clone, 'push', '-q', withToken(`${forge.url}/acme/site.git`, token), 'main')
    const commit = (await git(clone, 'rev-parse', 'HEAD')).trim()
    await compare(forge, work, { token, commit })
    return { token, commit }
  })

/** Starts it once more and gets what was pushed. Gives an Error when it is not there. */
export const again = (place: Place, made: Made): Promise<void> =>
  within(place, (forge, work) => compare(forge, work, made))

async function compare(forge: ForgeProcess, work: string, { token, commit }: Made): Promise<void> {
  await git(work, 'clone', '-q', withToken(`${forge.url}/acme/site.git`, token), 'back')
  const back = (await git(join(work, 'back'), 'rev-parse', 'HEAD')).trim()
  if (back !== commit) throw new Error(`${commit} was pushed, and ${back} came back`)
  await git(join(work, 'back'), 'fsck', '--strict')
}
