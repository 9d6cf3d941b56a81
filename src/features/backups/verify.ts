/**
 * Proves a backup: restores it into a folder of `tmp`, opens the copy as it would be served, reads
 * from it, and has it examined.
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
import { onThread } from './keeper.ts'
import { openCopy } from './points.ts'
import { listRepoIds } from './store-doctor.ts'

export type Verdict = { readonly by: 'restoring' | 'sums'; readonly findings: readonly string[] }

export type VerifyOptions = {
  readonly from: string
  readonly id: string
  readonly identities: readonly string[]
  readonly tell: Tell
  readonly signal: AbortSignal
}

/** Room for the journal and the examination of a copy. */
const MARGIN = 64 * 1024 ** 2

/** Gives what is wrong, one line each; empty means that the backup can be relied upon. */
export async function verifyBackup(
  hearth: Hearth,
  { from, id, identities, tell, signal }: VerifyOptions,
): Promise<Verdict> {
  const { s3 } = hearth.settings.backups
  const manifest = await readManifest(openPlace(from, s3), id)
  const where = { from, s3, id, identities }
  if (manifest.content === null && identities.length === 0)
    return { by: 'sums', findings: await onThread('check', where, tell, signal) }

  const tmp = join(hearth.settings.data, 'tmp')
  const target = join(tmp, `verify-${id}`)
  mkdirSync(tmp, { recursive: true, mode: 0o700 })
  rmSync(target, { recursive: true, force: true })
  const free = bytesFree(tmp)
  if (free < manifest.totals.bytes + MARGIN) {
    throw new BackupError(
      `${tmp} has not the space to restore it: ${Math.ceil((manifest.totals.bytes + MARGIN) / 1024 ** 2)} MB are needed, ${Math.floor(free / 1024 ** 2)} MB are free`,
    )
  }
  try {
    try {
      await onThread('restore', { ...where, target }, tell, signal)
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
  const [open] = openCopy.all(hearth)
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
    // What every clone begins with, of every repository.
    for (const store of listStores(copy.db)) {
      for (const repo_id of listRepoIds(copy.db, store)) {
        signal.throwIfAborted()
        copy.git.advertise('git-upload-pack', refsOf(copy.db, repo_id), 2)
      }
    }
    for (const { check, finding } of await examine(copy, { copy: true, signal }))
      if (finding.level === 'fault') findings.push(`${check}: ${finding.what}`)
  } finally {
    await copy.close()
  }
  return findings
}
