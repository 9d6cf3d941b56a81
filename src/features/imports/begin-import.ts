/** Starts imports, for every operation that can start one. */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { checkRemote, parseRemote, type RemoteAccess } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { typeId } from '#core/ids.ts'
import { runImport } from './run-import.ts'
import { sealSecret } from './import-secret.ts'
import { insertImport } from './store.ts'
import { insertStep } from './store-steps.ts'
import { STEP_NAMES, type Part, type Source, type StepName } from './schema.ts'

/**
 * Throws 422 for an address that is not allowed, naming the field and what an administrator can
 * change.
 */
export async function requireImportAddress(
  hearth: Hearth,
  field: string,
  remote: RemoteAccess,
): Promise<string> {
  try {
    const url = parseRemote(remote.url)
    await checkRemote(hearth, remote)
    return url.href
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw invalid(field, `the address cannot be copied from: ${error.message}`)
  }
}

export type NewImport = {
  readonly created_by: string
  readonly source: Source
  /** What is taken over; for git the code. */
  readonly steps: readonly StepName[]
}

/** The parts whose texts may name files. */
const TEXTS: ReadonlySet<Part> = new Set(['issues', 'pulls', 'comments', 'releases'])

/** The steps of what a caller asked for. */
export function stepsOf(include: readonly Part[]): StepName[] {
  const parts = new Set<StepName>([
    ...include,
    ...(include.includes('comments') ? (['reviews', 'timeline'] as const) : []),
    ...(include.some((part) => TEXTS.has(part)) ? (['attachments'] as const) : []),
  ])
  return STEP_NAMES.filter((name) => parts.has(name))
}

/**
 * Adds the row and the job, in the transaction that created the repository or retries the import.
 */
export function enqueueImport(
  tx: Tx,
  repo: { readonly id: string },
  remote: RemoteAccess,
  { created_by, source, steps }: NewImport,
): string {
  const id = typeId('imp', tx.now_ms)
  const secret = remote.secret === null ? null : sealSecret(tx.hearth, remote.secret, tx.now_ms)
  insertImport(tx, {
    id,
    repo_id: repo.id,
    source,
    url: parseRemote(remote.url).href,
    secret,
    created_by,
  })
  for (const step of steps) insertStep(tx, id, step)
  tx.enqueue(runImport, { id }, { key: id })
  return id
}
