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
import { boardLabels, columnsOf } from './columns.ts'
import { ColumnName } from './schema.ts'

export const moveCard = operation({
  name: 'move_card',
  summary:
    'Move an issue to a column of the board of a project: sets the label of the column in place of those of other columns, and closes or reopens the issue. Answers with the issue.',
  keywords: ['move an issue on a board', 'kanban', 'start work on an issue'],
  route: 'POST /repos/{owner}/{name}/issues/{number}/move',
  toolset: 'access',
  access: writesRepo('triage', { scope: 'issues:write' }),
  annotations: { idempotent: true },
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    project: ProjectSlug,
    column: ColumnName,
  }),
  output: Issue,
  untrusted: inRecord(issuePointers),

  handler: ({ hearth, repo, caller, write }, { number, project: slug, column: name }) => {
    const workspace = hearth.facts.workspace(repo.workspace, caller)
    // Only members know the projects of a workspace, as `list_projects` says.
    if (!workspace || workspace.role === null)
      throw notFound(`the project ${slug} of ${repo.workspace}`)
    return write((tx) => {
      const project = requireProject(tx.db, workspace, slug)
      if (!listVisibleProjectRepos(hearth, project, caller).some(({ id }) => id === repo.id))
        throw invalid('repo', `${repo.full_name} is not a repository of the project ${slug}.`)
      const columns = columnsOf(tx.db, project.id)
      const column = columns.find((one) => nameKey(one.name) === nameKey(name))
      if (!column)
        throw invalid(
          'column',
          `The board has no column ${name}. It has ${columns.map((one) => one.name).join(', ')}.`,
        )
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
      return issueRecord(hearth, requireIssue(tx.db, repo.id, number))
    })
  },
})
