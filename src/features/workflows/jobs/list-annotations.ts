import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Sha, Type } from '#core/schema.ts'
import { carryPlaces } from '#features/pulls/index.ts'
import { annotatedPath } from './annotated-path.ts'
import { requireOwnRuns } from '../records.ts'
import { CommitAnnotations } from '../schema.ts'
import { listFileAnnotations, type FileAnnotationRow } from './store-jobs.ts'
import { listLatestOfCommits } from '../runs/store-runs.ts'

const MAX_ANNOTATIONS = 300

type Placed = FileAnnotationRow & { readonly path: string }

/** Several jobs, as of a matrix, often report the same. */
const keyOf = ({ level, path, line, column, title, message }: Placed): string =>
  JSON.stringify([level, path, line, column, title, message])

/** The place of an annotation whose first line is `line` in the commit. */
function placeOf(
  row: Pick<Placed, 'line' | 'end_line' | 'column'>,
  line: number | null,
): { line: number | null; end_line: number | null; column: number | null } {
  if (line === null || row.line === null) return { line, end_line: null, column: null }
  // The lines below move with the first one.
  const end_line = row.end_line === null ? null : Math.max(line, row.end_line + line - row.line)
  return { line, end_line, column: row.column }
}

export const listAnnotations = operation({
  name: 'list_annotations',
  summary:
    'List what the latest runs of a commit say about lines of its files, failures first: compiler errors, failed assertions, warnings of linters. At most 300.',
  keywords: ['errors of the build by line', 'lint warnings of a commit', 'why did CI fail'],
  route: 'GET /repos/{owner}/{name}/actions/annotations',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({ repo: RepoPath, sha: Sha }),
  output: CommitAnnotations,
  // Commands of jobs are controlled by the change.
  untrusted: ({ items }) =>
    items.flatMap(({ title }, at) => [
      `/items/${at}/file`,
      `/items/${at}/message`,
      ...(title === null ? [] : [`/items/${at}/title`]),
    ]),

  handler: async ({ hearth, db, repo }, { sha }) => {
    requireOwnRuns(repo)
    const runs = listLatestOfCommits(db, repo.id, [sha])
    const ids = runs.map(({ id }) => id)
    const name = repo.full_name.split('/')[1] ?? ''
    const rows = listFileAnnotations(db, ids, MAX_ANNOTATIONS).flatMap((row): Placed[] => {
      const path = annotatedPath(row.file, name)
      return path === null ? [] : [{ ...row, path }]
    })
    const known = new Map(rows.toReversed().map((row) => [keyOf(row), row]))
    const distinct = rows.filter((row) => known.get(keyOf(row)) === row)
    const places = distinct.flatMap(({ job_id, position, path, line, sha: commit }) =>
      line === null ? [] : [{ key: `${job_id} ${position}`, commit, path, line }],
    )
    // Runs of a pull request count the lines of its merge with the base.
    const carried = await carryPlaces(hearth, repo.store, sha, places)
    const items = distinct.map((row) => {
      const place = carried.get(`${row.job_id} ${row.position}`)
      return {
        level: row.level,
        file: place?.path ?? row.path,
        ...placeOf(row, place?.line ?? null),
        title: row.title,
        message: row.message,
        workflow: row.workflow,
        run: row.run_id,
        job: row.job_id,
        job_name: row.job_name,
      }
    })
    return { items, next: null }
  },
})
