/** Severities are labels, such as `severity: high`, because issues have no field for them. */
import type { Db } from '#core/db.ts'
import { findLabel } from '#features/issues/index.ts'

export const severityName = (severity: string): string => `severity: ${severity}`

/** The label of a severity as the repository spells it; null when it has none. */
export const severityLabel = (db: Db, repo_id: string, severity: string): string | null =>
  findLabel(db, repo_id, severityName(severity))?.name ?? null
