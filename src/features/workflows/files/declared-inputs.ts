/** The inputs that a form to start a workflow by hand has fields for. */
import type { InputDefinition } from '#actions'
import type { Db } from '#core/db.ts'
import { findWorkflow } from './store-workflows.ts'
import { readStoredModel } from './workflow-files.ts'

export type DeclaredInput = {
  readonly name: string
  readonly type: InputDefinition['type']
  readonly description: string | null
  readonly required: boolean
  readonly default: string
  readonly options: readonly string[]
}

/** As the default branch has them. Null when the file was not read, or starts by other events only. */
export function declaredInputs(
  { db }: { readonly db: Db },
  repo_id: string,
  workflow_id: string,
): readonly DeclaredInput[] | null {
  const row = findWorkflow(db, workflow_id)
  if (row?.repo_id !== repo_id || row.blob === null) return null
  const file = { path: row.path, blob: row.blob }
  const trigger = readStoredModel(db, repo_id, file)?.on.workflow_dispatch
  if (!trigger) return null
  return Object.entries(trigger.inputs).map(([name, definition]) => ({
    ...definition,
    name,
    default: typeof definition.default === 'object' ? '' : String(definition.default),
  }))
}
