/** Adds a runner that may register with a token. */
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import { conflict } from '#lib/errors.ts'
import { randomBase62, sha256 } from '#lib/hash.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { readLabels, readRunnerName } from './inputs.ts'
import { auditRunner } from './owner.ts'
import { runnerRecord } from './runner-record.ts'
import type { NewRunner } from './schema.ts'
import { countRunners, insertRunner, type RunnerOwner, type RunnerRow } from './store-runners.ts'

const REGISTRATION_MS = 7 * DAY
const MAX_RUNNERS = 1_000

export type RunnerInput = {
  readonly name: string
  readonly labels?: readonly string[]
  readonly ephemeral?: boolean
  readonly accepts_untrusted?: boolean
}

/** `workspace_id` is for the audit log. */
export function addRunner(
  tx: Tx,
  owner: RunnerOwner,
  input: RunnerInput,
  by: { readonly id: string; readonly workspace_id: string | null },
): NewRunner {
  if (countRunners(tx.db, owner) >= MAX_RUNNERS)
    throw conflict('limit', `there are ${MAX_RUNNERS} runners already: remove some first`)
  const token = `hrt_${randomBase62(40)}`
  const row: RunnerRow = {
    ...owner,
    id: typeId('rnr', tx.now_ms),
    name: readRunnerName(input.name),
    allowed_labels: JSON.stringify(readLabels(input.labels ?? [])),
    labels: '[]',
    ephemeral: input.ephemeral === true ? 1 : 0,
    accepts_untrusted: input.accepts_untrusted === true ? 1 : 0,
    registration_hash: sha256(token),
    registration_expires_at: timestamp(tx.now_ms + REGISTRATION_MS),
    uuid: null,
    token_hash: null,
    version: '',
    last_seen_at: null,
    created_by: by.id,
    created_at: tx.now,
  }
  insertRunner(tx, row)
  auditRunner(tx, 'created', row, by.workspace_id)
  return { ...runnerRecord(tx.hearth, row), token }
}
