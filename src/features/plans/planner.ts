/** Whether a model can make plans. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { requireRoute } from '#features/models/index.ts'
import { conflict } from '#lib/errors.ts'

/** Throws 409: this version takes plans from people and agents only. */
export function refusePlanning({ db }: Hearth, repo: RepoGrant): never {
  requireRoute(db, repo.workspace_id, 'plan')
  throw conflict('not_available', 'no model makes plans here yet: give the issues of the plan')
}
