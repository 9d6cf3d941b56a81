/**
 * Repeated requests: the first answer to an `Idempotency-Key` is kept for a day and given again, so
 * that a client that lost the answer can ask again without doing the work twice.
 */
import { sha256 } from '#lib/hash.ts'
import { Refusal } from '#lib/errors.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { job } from './jobs.ts'
import type { Db } from './db.ts'
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
 * The kept answer, or null for a new key. Gives 422 `idempotency_mismatch` when the key came with
 * another request.
 */
export function findAnswer(db: Db, request: Idempotency): { answer: unknown } | null {
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

/** Keeps an answer; a later write of the same call replaces it. */
export function recordAnswer(tx: Tx, request: Idempotency, answer: unknown): void {
  tx.db.run(
    `INSERT INTO idempotency_keys (caller_id, key, operation, body_hash, answer, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (caller_id, key) DO UPDATE SET answer = excluded.answer`,
    request.caller_id,
    request.key,
    request.operation,
    request.body_hash,
    JSON.stringify(answer ?? null),
    tx.now,
  )
}

const running = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Lets requests with one key go one after the other, so that the second finds the first's answer.
 */
export async function inTurn<T>(
  scope: object,
  { caller_id, key }: Idempotency,
  run: () => Promise<T>,
): Promise<T> {
  let keys = running.get(scope)
  if (!keys) running.set(scope, (keys = new Map()))
  const name = `${caller_id} ${key}`
  for (let before = keys.get(name); before; before = keys.get(name)) await before.catch(() => {})
  const mine = run()
  keys.set(name, mine)
  try {
    return await mine
  } finally {
    keys.delete(name)
  }
}

/** So many in one transaction: others wait while it runs. */
const AT_ONCE = 2000

export const sweepIdempotencyKeys = job({
  kind: 'sweep_idempotency_keys',
  every: '1h',
  run: async ({ hearth, signal }) => {
    const before = timestamp(hearth.clock.now() - DAY)
    const remove = () =>
      hearth.database.run(
        'DELETE FROM idempotency_keys WHERE (caller_id, key) IN (SELECT caller_id, key FROM idempotency_keys WHERE created_at < ? LIMIT ?)',
        before,
        AT_ONCE,
      )
    while (!signal.aborted && (await hearth.writer.write(remove)) === AT_ONCE);
  },
})
