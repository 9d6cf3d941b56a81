/**
 * Checks whether the parts of a forge work, by using each of them. Load balancers and supervisors
 * read the result at `/readyz`.
 */
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { probeWrite } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { replication, type ReplicationRole } from '#core/replication.ts'
import { GitError } from '#git'
import { SECOND } from '#lib/time.ts'
import { withTimeout } from '#lib/waiting.ts'

/** Results are reused this long: a check costs a write with its fsync, and anyone may request it. */
const MAX_AGE_MS = 5 * SECOND
/** A part that takes longer counts as not working. */
const CHECK_TIMEOUT_MS = 5 * SECOND

type Checks = Readonly<Record<string, string>>

export type CheckReadiness = () => Promise<Checks>

/** A machine that changes nothing while its standby is away, and whose pages can be read. */
export const CHANGES_REFUSED = 'changes are refused'
/** Another machine serves. */
const FENCED = 'another machine has taken over'

/**
 * Creates the check. It returns `ok` or what is wrong for each part. Calls at the same time share
 * one trial.
 */
export function createReadinessCheck(hearth: Hearth, timeoutMs = CHECK_TIMEOUT_MS): CheckReadiness {
  let latest: { readonly checks: Promise<Checks>; readonly startedAt: number } | null = null
  return async () => {
    const now = performance.now()
    if (latest === null || now - latest.startedAt > MAX_AGE_MS)
      latest = { checks: checkParts(hearth, timeoutMs), startedAt: now }
    return { process: hearth.stopping.aborted ? 'stopping' : 'ok', ...(await latest.checks) }
  }
}

async function checkParts(hearth: Hearth, timeoutMs: number): Promise<Checks> {
  const check = async (
    part: string,
    fault: string,
    attempt: () => Promise<unknown>,
  ): Promise<[string, string]> => {
    try {
      await withTimeout(attempt(), timeoutMs, () => {
        throw new Error(`no answer in ${timeoutMs} ms`)
      })
      return [part, 'ok']
    } catch (error) {
      hearth.log.error('not ready', { part, error })
      return [part, fault]
    }
  }
  const { role, refusal } = replication(hearth).readStatus()
  const standby: readonly [string, string][] =
    role === 'alone' ? [] : [['standby', standbyCheck(role, refusal)]]
  return Object.fromEntries([
    ...standby,
    ...(await Promise.all([
      // A machine that may not change anything does not try it.
      refusal === null
        ? check('database', 'cannot be written', () =>
            hearth.writer.write(() => probeWrite(hearth.database)),
          )
        : (['database', 'ok'] as const),
      check('data_directory', 'cannot be written', () =>
        writeAndRemove(join(hearth.settings.data, 'tmp')),
      ),
      check('git', 'does not answer', () => probeEngine(hearth)),
    ])),
  ])
}

function standbyCheck(role: ReplicationRole, refusal: string | null): string {
  if (role === 'fenced') return FENCED
  return refusal === null ? 'ok' : CHANGES_REFUSED
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

const NULL_ID = '0'.repeat(40)

/** A thread of the engine works if it reports that a store is missing. */
async function probeEngine({ git }: Hearth): Promise<void> {
  await git.isReachable('ready', NULL_ID, [NULL_ID]).catch((error: unknown) => {
    if (!(error instanceof GitError) || error.code === 'aborted') throw error
  })
}
