/** The board of a project as its reader may see it. */
import { reaches, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorsOf, loadActors } from '#features/accounts/index.ts'
import { assigneeRecord, nameKey } from '#features/issues/index.ts'
import { listVisibleProjectRepos } from '#features/workspaces/index.ts'
import { boardLabels, columnsOf, requireColumn } from './columns.ts'
import { MAX_COUNTED_CARDS, type Card, type ProjectBoard } from './schema.ts'
import { countCards, listCardRows, type CardRow } from './store.ts'

type Of = {
  project: Parameters<typeof listVisibleProjectRepos>[1]
  caller: SignedIn
  assignee_ids: readonly string[] | null
  /** The name of the only column that is wanted; undefined for all. */
  column: string | undefined
  /** Of the cards of a column. */
  limit: number
  offset: number
}

/** The cards of repositories that the caller cannot see are left out. */
export function boardRecord(hearth: Hearth, of: Of) {
  const { project, caller, assignee_ids, limit, offset } = of
  const { db } = hearth
  const repos = new Map(
    listVisibleProjectRepos(hearth, project, caller).map((repo) => [repo.id, repo]),
  )
  const columns = columnsOf(db, project.id)
  const wanted = of.column === undefined ? columns : [requireColumn(columns, of.column)]
  const found = wanted.map((column) => {
    const query = {
      project_id: project.id,
      repo_ids: [...repos.keys()],
      kind: column.kind,
      label: column.label && nameKey(column.label),
      board_labels: boardLabels(columns),
      assignee_ids,
    }
    return {
      ...column,
      rows: listCardRows(db, { ...query, limit: limit + 1, offset }),
      cards_count: countCards(db, query, MAX_COUNTED_CARDS),
    }
  })
  const card = cardMaker(
    hearth,
    found.flatMap(({ rows }) => rows),
  )
  const record: ProjectBoard = {
    project: project.slug,
    columns: found.map(({ rows, ...column }) => ({
      ...column,
      cards: rows.slice(0, limit).flatMap((row) => {
        const repo = repos.get(row.repo_id)
        if (!repo) return []
        return [card(row, repo.full_name, reaches(repo.role, 'triage') && !repo.archived)]
      }),
      more: rows.length > limit,
    })),
  }
  return record
}

/** Makes cards of rows, whose accounts are loaded together. */
function cardMaker(hearth: Hearth, rows: readonly CardRow[]) {
  const author = loadActors(
    hearth,
    rows.map((row) => row.author_id),
  )
  const assigned = new Map(
    actorsOf(hearth, [...new Set(rows.flatMap((row) => row.assignee_ids))]).map((actor) => [
      actor.id,
      assigneeRecord(actor),
    ]),
  )
  return (row: CardRow, repo: string, can_move: boolean): Card => ({
    repo,
    number: row.number,
    title: row.title,
    state: row.open === 1 ? 'open' : 'closed',
    labels: row.labels,
    assignees: row.assignee_ids.flatMap((id) => assigned.get(id) ?? []),
    milestone: row.milestone,
    author: author(row.author_id),
    comments_count: row.comments_count,
    can_move,
    html_url: `${hearth.settings.site_url}/${repo}/issues/${row.number}`,
    updated_at: row.updated_at,
  })
}
