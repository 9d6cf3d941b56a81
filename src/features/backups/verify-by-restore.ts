/**
 * Verifies a backup: restores it into a folder of `tmp`, opens the copy like a serving forge, reads
 * from it, and runs the doctor on it.
 */
import type { Hearth } from '#core/hearth.ts'
import { anonymous } from '#core/caller.ts'
import { call } from '#core/operation.ts'
import { listStores, refsOf } from '#features/repos/index.ts'
import { BackupError, openPlace, readManifest, type Tell } from '#backup'
import { bytesFree } from '#lib/disk.ts'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { examine } from './doctor/index.ts'
import { runOnThread } from './backup-thread.ts'
import { openRestoredCopy } from './extension-points.ts'
import { listRepoIds } from './store-doctor.ts'

export type VerificationResult = {
  readonly by: 'restoring' | 'sums'
  readonly findings: readonly string[]
}

export type VerifyOptions = {
  readonly from: string
  readonly id: string
  readonly identities: readonly string[]
  readonly tell: Tell
  readonly signal: AbortSignal
}

/** Space for the journal and the checks of a copy. */
const EXTRA_BYTES = 64 * 1024 ** 2

/** Returns the faults, one line each; none when the backup is sound. */
export async function verifyByRestore(
  hearth: Hearth,
  { from, id, identities, tell, signal }: VerifyOptions,
): Promise<VerificationResult> {
  const { s3 } = hearth.settings.backups
  const manifest = await readManifest(openPlace(from, s3), id)
  const where = { from, s3, id, identities }
  if (manifest.content === null && identities.length === 0)
    return { by: 'sums', findings: await runOnThread('check', where, tell, signal) }

  const tmp = join(hearth.settings.data, 'tmp')
  const target = join(tmp, `verify-${id}`)
  mkdirSync(tmp, { recursive: true, mode: 0o700 })
  rmSync(target, { recursive: true, force: true })
  const free = bytesFree(tmp)
  if (free < manifest.totals.bytes + EXTRA_BYTES) {
    throw new BackupError(
      `${tmp} has not the space to restore it: ${Math.ceil((manifest.totals.bytes + EXTRA_BYTES) / 1024 ** 2)} MB are needed, ${Math.floor(free / 1024 ** 2)} MB are free`,
    )
  }
  try {
    try {
      await runOnThread('restore', { ...where, target }, tell, signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof BackupError)) throw error
      return { by: 'restoring', findings: [error.message] }
    }
    tell({ phase: 'examining', files_done: 0, files_total: 0, bytes_done: 0, bytes_total: 0 })
    return { by: 'restoring', findings: await examineCopy(hearth, target, signal) }
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

async function examineCopy(hearth: Hearth, data: string, signal: AbortSignal): Promise<string[]> {
  const [open] = openRestoredCopy.all(hearth)
  if (!open) throw new TypeError('nobody here can open the copy of a forge')
  let copy: Hearth
  try {
    copy = open(hearth, data)
  } catch (error) {
    return [
      `the restored copy does not open: ${error instanceof Error ? error.message : String(error)}`,
    ]
  }
  const findings: string[] = []
  try {
    const version = copy.operationsByName.get('get_version')
    if (version) await call(copy, version, anonymous, {})
    // The ref advertisement of every repository, with which a clone starts.
    for (const store of listStores(copy.db)) {
      for (const repo_id of listRepoIds(copy.db, store)) {
        signal.throwIfAborted()
        copy.git.advertise('git-upload-pack', refsOf(copy, repo_id), 2)
      }
    }
    for (const { check, finding } of await examine(copy, { copy: true, signal }))
      if (finding.level === 'fault') findings.push(`${check}: ${finding.problem}`)
  } finally {
    await copy.close()
  }
  return findings
}
