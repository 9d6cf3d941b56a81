/**
 * Whether the parts of a forge do what they should, tried and not assumed; for whoever decides
 * where requests go.
 */
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '#git'
import { probeWrite } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { SECOND } from '#lib/time.ts'
import { inTime } from '#lib/waiting.ts'

/** Asking costs a write with its fsync, and anybody may ask: what was found holds for so long. */
const HOLDS = 5 * SECOND
/** What has not answered by then does not answer. */
const PATIENCE = 5 * SECOND

type Checks = Readonly<Record<string, string>>

/**
 * Makes the question. Its answer names each part with `ok` or what is wrong; questions at one time
 * share the trial.
 */
export function readinessOf(hearth: Hearth, patience = PATIENCE): () => Promise<Checks> {
  let found: { readonly checks: Promise<Checks>; readonly at: number } | null = null
  return async () => {
    const at = performance.now()
    if (found === null || at - found.at > HOLDS) found = { checks: look(hearth, patience), at }
    return { process: hearth.stopping.aborted ? 'stopping' : 'ok', ...(await found.checks) }
  }
}

async function look(hearth: Hearth, patience: number): Promise<Checks> {
  const tried = async (
    part: string,
    wrong: string,
    attempt: () => Promise<unknown>,
  ): Promise<[string, string]> => {
    try {
      await inTime(attempt(), patience, () => {
        throw new Error(`no answer in ${patience} ms`)
      })
      return [part, 'ok']
    } catch (error) {
      hearth.log.error('not ready', { part, error })
      return [part, wrong]
    }
  }
  return Object.fromEntries(
    await Promise.all([
      tried('database', 'cannot be written', () =>
        hearth.writer.write(() => probeWrite(hearth.database)),
      ),
      tried('data_directory', 'cannot be written', () =>
        writeAndRemove(join(hearth.settings.data, 'tmp')),
      ),
      tried('git', 'does not answer', () => asksEngine(hearth)),
    ]),
  )
}

async function writeAndRemove(directory: string): Promise<void> {
  const path = join(directory, `ready-${process.pid}`)
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile('x')
  } finally {
    await file.close()
    await unlink(path)
  }
}

const NOBODY = '0'.repeat(40)

/** That a thread of the engine says that a store is missing shows that it is there. */
async function asksEngine({ git }: Hearth): Promise<void> {
  await git.isReachable('ready', NOBODY, [NOBODY]).catch((error: unknown) => {
    if (!(error instanceof GitError) || error.code === 'aborted') throw error
  })
}
