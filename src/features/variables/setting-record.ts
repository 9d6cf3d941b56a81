import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import type { Secret, Use, Variable } from './schema.ts'
import type { SettingRow } from './store.ts'

const commonFields = (hearth: Hearth, row: SettingRow) => ({
  id: row.id,
  name: row.name,
  scope: row.repo_id === null ? ('workspace' as const) : ('repository' as const),
  repo: row.repo_id === null ? null : fullName(hearth.db, row.repo_id),
  updated_at: row.updated_at,
  available_to: JSON.parse(row.available_to) as Use[],
  environments: JSON.parse(row.environments) as string[],
  projects: JSON.parse(row.projects) as string[],
  note: row.note,
  updated_by: actorOf(hearth, row.updated_by),
  created_at: row.created_at,
})

export const variableRecord = (hearth: Hearth, row: SettingRow): Variable => ({
  ...commonFields(hearth, row),
  kind: 'variable',
  value: row.value,
})

export const secretRecord = (hearth: Hearth, row: SettingRow): Secret => ({
  ...commonFields(hearth, row),
  kind: 'secret',
  value: null,
})
