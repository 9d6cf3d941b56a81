/**
 * Makes the texts of an imported workspace searchable, in small transactions after the one that
 * brought its rows: the index of texts takes longer than everything else.
 */
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { indexText, recordsArrived } from '#features/issues/index.ts'
import { bodyOfRecord, listRecordNumbers, listReposOfWorkspace } from './store.ts'

const RECORDS_PER_BATCH = 100

function indexBatch(tx: Tx, repo_id: string, after: number): number | null {
  const numbers = listRecordNumbers(tx.db, repo_id, after, RECORDS_PER_BATCH)
  for (const number of numbers) indexText(tx, repo_id, number, bodyOfRecord(tx.db, repo_id, number))
  tx.emit(recordsArrived, { repo_id, numbers })
  return numbers.length < RECORDS_PER_BATCH ? null : (numbers.at(-1) ?? null)
}

/** It can be interrupted and begins again, because a text is indexed over itself. */
export const indexArrived = job<{ workspace_id: string }>({
  kind: 'index_imported_workspace',
  run: async ({ hearth, signal }, { workspace_id }) => {
    for (const { id } of listReposOfWorkspace(hearth.db, workspace_id))
      for (let after: number | null = 0; after !== null; ) {
        const from: number = after
        signal.throwIfAborted()
        after = await writeAs(hearth, null, (tx) => indexBatch(tx, id, from))
      }
  },
})
