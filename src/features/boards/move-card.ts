import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import {
  inRecord,
  Issue,
  issuePointers,
  issueRecord,
  labelsOf,
  moveIssue,
  nameKey,
  requireIssue,
} from '#features/issues/index.ts'
import { listVisibleProjectRepos, ProjectSlug, requireProject } from '#features/workspaces/index.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { boardLabels, columnsOf, requireColumn } from './columns.ts'
import { placeCard, type Place } from './place-card.ts'
import { ColumnName } from './schema.ts'

const CardName = Type.String({
  maxLength: 200,
  description: 'A card of the column, as <owner>/<name>#<number>.',
})

const placeOf = (before: string | undefined, after: string | undefined): Place | null =>
  before !== undefined
    ? { side: 'before', card: before }
    : after !== undefined
      ? { side: 'after', card: after }
      : null

export const moveCard = operation({
  name: 'move_card',
  summary:
    'Move an issue to a column of the board of a project: sets the label of the column in place of those of other columns, and closes or reopens the issue. With before or after it also gets a place among the cards there. Answers with the issue.',
  keywords: [
    'move an issue on a board',
    'order cards of a board',
    'kanban',
    'start work on an issue',
  ],
  route: 'POST /repos/{owner}/{name}/issues/{number}/move',
  toolset: 'access',
  access: writesRepo('triage', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    project: ProjectSlug,
    column: ColumnName,
    before: Type.Optional(CardName),
    after: Type.Optional(CardName),
  }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: (
    { hearth, repo, caller, write },
    { number, project: slug, column: name, before, after },
  ) => {
    const workspace = hearth.facts.workspace(repo.workspace, caller)
    // Only members know the projects of a workspace, as `list_projects` says.
    if (!workspace || workspace.role === null)
      throw notFound(`the project ${slug} of ${repo.workspace}`)
    if (before !== undefined && after !== undefined)
      throw invalid('after', 'give before or after, not both')
    return write((tx) => {
      const project = requireProject(tx.db, workspace, slug)
      const repos = listVisibleProjectRepos(hearth, project, caller)
      if (!repos.some(({ id }) => id === repo.id))
        throw invalid('repo', `${repo.full_name} is not a repository of the project ${slug}.`)
      const columns = columnsOf(tx.db, project.id)
      const column = requireColumn(columns, name)
      const others = new Set(boardLabels(columns))
      requireIssue(tx.db, repo.id, number)
      moveIssue(tx, repo, number, {
        labels: [
          ...labelsOf(tx.db, repo.id, number).filter((label) => !others.has(nameKey(label))),
          ...(column.label === null ? [] : [column.label]),
        ],
        open: column.kind !== 'closed',
        moved_by: caller.id,
      })
      const place = placeOf(before, after)
      if (place)
        placeCard(
          tx,
          { project_id: project.id, repos, columns },
          column,
          { repo_id: repo.id, number },
          place,
        )
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
