/**
 * Idempotency keys. The first response to an `Idempotency-Key` is stored for a day and replayed to
 * later requests with that key. So a client that lost a response can repeat the request safely.
 */
import { sha256 } from '#lib/hash.ts'
import { Refusal } from '#lib/errors.ts'
import { DAY, timestamp } from '#lib/time.ts'
import type { Db } from './db.ts'
import type { Hearth } from './hearth.ts'
import { job } from './jobs.ts'
import { service } from './service.ts'
import type { Tx } from './write.ts'

export type Idempotency = {
  readonly caller_id: string
  readonly key: string
  readonly operation: string
  readonly body_hash: string
}

export const bodyHash = (input: unknown): string => sha256(JSON.stringify(input))

type Row = { operation: string; body_hash: string; answer: string }

/**
 * The stored response, or null for a new key. Throws 422 `idempotency_mismatch` when the key
 * belongs to another request.
 */
export function findResponse(db: Db, request: Idempotency): { answer: unknown } | null {
  const row = db.one<Row>(
    'SELECT operation, body_hash, answer FROM idempotency_keys WHERE caller_id = ? AND key = ?',
    request.caller_id,
    request.key,
  )
  if (!row) return null
  if (row.operation !== request.operation || row.body_hash !== request.body_hash) {
    throw new Refusal(
      'invalid',
      'this Idempotency-Key was used for another request; choose a new one',
      { reason: 'idempotency_mismatch', field: 'idempotency_key' },
    )
  }
  return { answer: JSON.parse(row.answer) }
}

/** Stores a response. A later write of the same call replaces it. */
export function recordResponse(tx: Tx, request: Idempotency, answer: unknown): void {
  tx.db.run(
    `INSERT INTO idempotency_keys (caller_id, key, operation, body_hash, answer, created_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (caller_id, key) DO UPDATE SET answer = excluded.answer`,
    request.caller_id,
    request.key,
    request.operation,
    request.body_hash,
    JSON.stringify(answer ?? null),
    tx.now,
  )
}

const runningRequests = service('requests with a key', () => new Map<string, Promise<unknown>>())

/**
 * Runs requests with the same key one after the other, so that the second finds the response of the
 * first.
 */
export async function serialize<T>(
  hearth: Pick<Hearth, 'services'>,
  { caller_id, key }: Idempotency,
  run: () => Promise<T>,
): Promise<T> {
  const running = runningRequests(hearth)
  const name = `${caller_id} ${key}`
  for (let other = running.get(name); other; other = running.get(name)) await other.catch(() => {})
  const own = run()
  running.set(name, own)
  try {
    return await own
  } finally {
    running.delete(name)
  }
}

/** Rows deleted in one transaction. Other writes wait for its end. */
const SWEEP_BATCH_ROWS = 2000

export const sweepIdempotencyKeys = job({
  kind: 'sweep_idempotency_keys',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - DAY)
    const remove = () =>
      hearth.database.run(
        `DELETE FROM idempotency_keys WHERE (caller_id, key) IN
           (SELECT caller_id, key FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
        before,
        SWEEP_BATCH_ROWS,
      )
    while (!signal.aborted && (await hearth.writer.write(remove)) === SWEEP_BATCH_ROWS);
  },
})
