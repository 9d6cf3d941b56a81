/** Issues as records. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorsOf, loadActors } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import { assigneeRecord } from './assignees/assignable.ts'
import type { Issue, IssueMilestone, IssueOverview, IssuePull } from './schema.ts'
import { assigneeIdsOfAll } from './assignees/store-assignees.ts'
import { listBlockers, type IssueRow } from './store-issues.ts'
import { labelsOfAll } from './labels/store-labels.ts'
import {
  listMilestonesOf,
  milestonesById,
  type MilestoneRow,
} from './milestones/store-milestones.ts'
import { listLinks } from './store-records.ts'

/** The milestones of several records of one repository, by number. */
export const milestonesOfAll = (
  db: Db,
  repo_id: string,
  numbers: readonly number[],
): Map<number, IssueMilestone> =>
  new Map(
    listMilestonesOf(db, repo_id, numbers).map(({ number, ...row }) => [number, milestone(row)]),
  )

const milestone = ({
  id,
  title,
  due_on,
  state,
}: Pick<MilestoneRow, 'id' | 'title' | 'due_on' | 'state'>): IssueMilestone => ({
  id,
  title,
  due_on,
  state,
})

/** Records of issues of one repository, with one query for each kind of data. */
export function issueRecords(hearth: Hearth, rows: readonly IssueRow[]): Issue[] {
  const [first] = rows
  if (!first) return []
  const { db } = hearth
  const { repo_id } = first
  const repo = fullName(db, repo_id)
  const numbers = rows.map((row) => row.number)
  const labels = labelsOfAll(db, repo_id, numbers)
  const assigned = assigneeIdsOfAll(db, repo_id, numbers)
  const assignees = new Map(
    actorsOf(hearth, [...new Set([...assigned.values()].flat())]).map((actor) => [
      actor.id,
      assigneeRecord(actor),
    ]),
  )
  const milestones = new Map(
    milestonesById(
      db,
      rows.flatMap((row) => row.milestone_id ?? []),
    ).map((row) => [row.id, milestone(row)]),
  )
  const blockers = Map.groupBy(listBlockers(db, repo_id, numbers), (row) => row.number)
  const links = Map.groupBy(listLinks(db, repo_id, numbers), (row) => row.issue_number)
  const actor = loadActors(
    hearth,
    rows.flatMap((row) => [row.author_id, row.closed_by]),
  )
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    repo,
    title: row.title,
    body: row.body,
    labels: labels.get(row.number) ?? [],
    checks: [...row.checks],
    assignees: (assigned.get(row.number) ?? []).flatMap((id) => assignees.get(id) ?? []),
    milestone: row.milestone_id === null ? null : (milestones.get(row.milestone_id) ?? null),
    blocked_by: (blockers.get(row.number) ?? []).map((blocker) => blocker.blocked_by),
    state: row.open === 1 ? 'open' : 'closed',
    reason: row.reason,
    resolved_by: row.resolved_by,
    author: actor(row.author_id),
    comments_count: row.comments_count,
    pulls: (links.get(row.number) ?? []).map((link) => ({
      number: link.pull_number,
      status: link.status,
    })),
    locked: row.locked === 1,
    lock_reason: row.lock_reason,
    html_url: `${hearth.settings.site_url}/${repo}/issues/${row.number}`,
    created_at: row.created_at,
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    closed_by: row.closed_by === null ? null : actor(row.closed_by),
  }))
}

export function issueRecord(hearth: Hearth, row: IssueRow): Issue {
  const [record] = issueRecords(hearth, [row])
  if (!record) throw new TypeError('one row gives one record')
  return record
}

/** The pull requests made for an issue, newest first. */
export function issuePulls(hearth: Hearth, repo_id: string, number: number): IssuePull[] {
  const links = listLinks(hearth.db, repo_id, [number])
  const actor = loadActors(
    hearth,
    links.map((link) => link.author_id),
  )
  return links.map((link) => ({
    number: link.pull_number,
    status: link.status,
    title: link.title,
    author: actor(link.author_id),
    agent: link.agent,
    created_at: link.created_at,
    updated_at: link.updated_at,
    ...(link.superseded_by === null ? {} : { superseded_by: link.superseded_by }),
    ...(link.merged_by === null ? {} : { merged_by: link.merged_by }),
  }))
}

/** An issue with all that is known of it but its comments. */
export const issueOverview = (hearth: Hearth, row: IssueRow): IssueOverview => ({
  issue: issueRecord(hearth, row),
  pulls: issuePulls(hearth, row.repo_id, row.number),
  comments_count: row.comments_count,
})
