/** When a model reads an issue: when it is opened, where the setting `issue_triage` is on. */
import { reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { findIssue, issueOpened } from '#features/issues/index.ts'
import { findRoute } from '#features/models/index.ts'
import { personCanWrite } from '#features/pulls/index.ts'
import { fullName, repoById, settingsOf } from '#features/repos/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { countTaken, takeUp } from './store.ts'
import { triageByModel } from './triage-by-model.ts'

/** Issues of one repository in a day, so that a program that opens issues spends no budget. */
const MAX_PER_DAY = 200
/** Of people without Write. */
const MAX_FROM_OUTSIDE_PER_DAY = 20

/** Why an issue is not read. */
export type Untaken = 'off' | 'no_model' | 'limit_reached'

/** Takes an issue up, unless it may not be read now. */
export function queueTriage(tx: Tx, repo_id: string, number: number): Untaken | null {
  const repo = repoById(tx.db, repo_id)
  const issue = findIssue(tx.db, repo_id, number)
  if (!repo || !issue || settingsOf(repo).issue_triage === 'off') return 'off'
  if (findRoute(tx.db, repo.workspace_id, 'triage') === null) return 'no_model'
  const author = actorOf(tx.hearth, issue.author_id)
  const person = author.on_behalf_of?.id ?? author.id
  const outside =
    author.kind !== 'workspace' && !personCanWrite(tx.hearth, fullName(tx.db, repo_id), person)
  const taken = countTaken(tx.db, repo_id, timestamp(tx.now_ms - DAY))
  if (taken.all >= MAX_PER_DAY) return 'limit_reached'
  if (outside && taken.outside >= MAX_FROM_OUTSIDE_PER_DAY) return 'limit_reached'
  takeUp(tx, { repo_id, number }, outside)
  tx.enqueue(triageByModel, { repo_id, number }, { key: `${repo_id} ${number}` })
  return null
}

export const triageNewIssues = reaction(
  'a model reads new issues',
  issueOpened,
  (tx, { repo_id, data }) => {
    if (repo_id !== null) queueTriage(tx, repo_id, data.number)
  },
)
