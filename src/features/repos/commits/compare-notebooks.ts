import { readsRepo, type RepoGrant } from '#core/access.ts'
import { operation, type Context } from '#core/operation.ts'
import { OneOf, RepoPath, Type, type Static } from '#core/schema.ts'
import { diffText } from '#git'
import { parseNotebook, type Notebook } from '#lib/notebook.ts'
import { parseTreePath, refuseBadInput, resolveCommit } from '../refs/resolve-commit.ts'
import { Hunk, Ref, TreePath } from '../schema.ts'
import { pairCells, type CellPair } from './notebook-cells.ts'

/** Larger notebooks are compared as lines of their files. */
const MAX_BYTES = 1024 * 1024
const MAX_CELLS = 500
/** Of both versions together, which bounds the time of all comparisons. */
const MAX_SOURCE_LENGTH = 256 * 1024

const CellChange = Type.Object({
  status: OneOf(['added', 'removed', 'modified']),
  kind: OneOf(['code', 'markdown', 'raw']),
  number: Type.Integer({ description: 'Its place among the cells, from 1.' }),
  hunks: Type.Array(Hunk),
  outputs_changed: Type.Boolean(),
})

const NotebookChange = Type.Object({
  language: Type.String(),
  cells: Type.Array(CellChange, { description: 'Those that changed.' }),
  unchanged: Type.Integer({ description: 'How many cells did not change.' }),
})
export type NotebookChange = Static<typeof NotebookChange>

const NONE: Notebook = { cells: [], language: 'python' }

async function readVersion(
  { hearth, git, repo }: Context & { repo: RepoGrant },
  ref: string | undefined,
  path: string,
): Promise<Notebook | null> {
  if (ref === undefined) return NONE
  const commit = await resolveCommit(hearth, repo, ref)
  const at = parseTreePath(path)
  const entry = await refuseBadInput('path', () => git.findEntry(repo.store, commit, at))
  if (entry?.type !== 'file') return null
  const blob = await git.readBlob(repo.store, entry.oid, MAX_BYTES)
  if (!blob || blob.size > MAX_BYTES) return null
  const notebook = parseNotebook(new TextDecoder().decode(blob.data))
  return notebook && notebook.cells.length <= MAX_CELLS ? notebook : null
}

const bytesOf = (source: string): Uint8Array =>
  new TextEncoder().encode(source === '' || source.endsWith('\n') ? source : `${source}\n`)

/** Null for a cell that did not change. */
function changeOf({ before, after }: CellPair, number: number) {
  const isSource = before?.source !== after?.source
  const areOutputs = JSON.stringify(before?.outputs) !== JSON.stringify(after?.outputs)
  if (before && after && !isSource && !areOutputs) return null
  const diff = diffText(bytesOf(before?.source ?? ''), bytesOf(after?.source ?? ''))
  return {
    status: before === null ? 'added' : after === null ? 'removed' : 'modified',
    kind: (after ?? before)?.kind ?? 'raw',
    number,
    hunks: (diff?.hunks ?? []).map((hunk) => ({ ...hunk, lines: [...hunk.lines] })),
    outputs_changed: before !== null && after !== null && areOutputs,
  } as const
}

const sourceLength = ({ cells }: Notebook): number =>
  cells.reduce((sum, { source }) => sum + source.length, 0)

export const compareNotebooks = operation({
  name: 'compare_notebooks',
  summary:
    'What changed between two versions of a Jupyter notebook, cell by cell. Null when one is no notebook or too large.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    before: Type.Optional(Ref),
    after: Type.Optional(Ref),
    path: TreePath,
    old_path: Type.Optional(TreePath),
  }),
  output: Type.Object({ change: Type.Union([NotebookChange, Type.Null()]) }),

  handler: async (context, { before, after, path, old_path }) => {
    const [old, now] = await Promise.all([
      readVersion(context, before, old_path ?? path),
      readVersion(context, after, path),
    ])
    if (!old || !now || sourceLength(old) + sourceLength(now) > MAX_SOURCE_LENGTH)
      return { change: null }
    const pairs = pairCells(old.cells, now.cells)
    let number = 0
    const cells = pairs.flatMap((pair) => {
      if (pair.after !== null) number++
      return changeOf(pair, Math.max(1, number)) ?? []
    })
    const { language } = after === undefined ? old : now
    return { change: { language, cells, unchanged: pairs.length - cells.length } }
  },
})
