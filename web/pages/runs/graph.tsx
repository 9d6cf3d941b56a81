// The jobs of a run as a graph: a column for each level of needs, one box for a matrix.
import type { WorkflowJob } from '#features/workflows/index.ts'
import { repoPath } from '../../paths.ts'
import { stateStyle } from './states.tsx'
import { t } from '../../text.ts'

const BOX_WIDTH = 196
const BOX_HEIGHT = 44
const GAP_X = 44
const GAP_Y = 14
const MAX_LABEL_CHARS = 22

type Node = {
  /** The id of the job in its file; jobs of a matrix share one. */
  readonly id: string
  readonly jobs: readonly WorkflowJob[]
  readonly needs: readonly string[]
  readonly level: number
}

/** The name without the values of a matrix. */
const baseName = ({ name }: WorkflowJob): string => name.replace(/ \([^()]*\)$/, '')

function nodesOf(jobs: readonly WorkflowJob[]): Node[] {
  const groups = Map.groupBy(jobs, (job) => baseName(job))
  const levels = new Map<string, number>()
  const needsOf = (id: string) => groups.get(id)?.[0]?.needs ?? []
  // Files may not have circles; the depth is bounded all the same.
  const levelOf = (id: string, depth: number): number => {
    const known = levels.get(id)
    if (known !== undefined) return known
    if (depth > 50) return 0
    const needs = needsOf(id).filter((need) => groups.has(need))
    const level = needs.length === 0 ? 0 : 1 + Math.max(...needs.map((n) => levelOf(n, depth + 1)))
    levels.set(id, level)
    return level
  }
  return [...groups].map(([id, group]) => ({
    id,
    jobs: group,
    needs: needsOf(id),
    level: levelOf(id, 0),
  }))
}

/** The state that stands for all jobs of a box: the worst. */
const ORDER = ['failure', 'timed_out', 'startup_failure', 'cancelled']
function stateOfNode({ jobs }: Node): WorkflowJob | undefined {
  const failed = jobs.find(({ conclusion }) => ORDER.includes(conclusion ?? ''))
  const open =
    jobs.find(({ status }) => status === 'in_progress') ??
    jobs.find(({ status }) => status !== 'completed')
  return failed ?? open ?? jobs[0]
}

const labelOf = (text: string): string =>
  text.length > MAX_LABEL_CHARS ? `${text.slice(0, MAX_LABEL_CHARS - 1)}…` : text

type Place = ReadonlyMap<string, { readonly x: number; readonly y: number }>

const Lines = ({ nodes, place }: { nodes: readonly Node[]; place: Place }) => (
  <>
    {nodes.flatMap((node) =>
      node.needs.map((need) => {
        const from = place.get(need)
        const to = place.get(node.id)
        if (!from || !to) return null
        const x1 = from.x + BOX_WIDTH
        const y1 = from.y + BOX_HEIGHT / 2
        const y2 = to.y + BOX_HEIGHT / 2
        const middle = (x1 + to.x) / 2
        return (
          <path
            class="job-graph-line"
            d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${to.x} ${y2}`}
          />
        )
      }),
    )}
  </>
)

const Boxes = ({
  nodes,
  place,
  repo,
  run,
}: {
  nodes: readonly Node[]
  place: Place
  repo: string
  run: string
}) => (
  <>
    {nodes.map((node) => {
      const at = place.get(node.id)
      const shown = stateOfNode(node)
      if (!at || !shown) return null
      const { tone, label } = stateStyle(shown)
      const done = node.jobs.filter(({ status }) => status === 'completed').length
      const count = node.jobs.length > 1 ? ` ${done}/${node.jobs.length}` : ''
      return (
        <a href={repoPath(repo, `/runs/${run}/job/${shown.id}`)}>
          <rect
            class={`job-graph-box tone-${tone}`}
            x={at.x}
            y={at.y}
            width={BOX_WIDTH}
            height={BOX_HEIGHT}
            rx={6}
          />
          <text class="job-graph-name" x={at.x + 12} y={at.y + 19}>
            {labelOf(node.id)}
          </text>
          <text class="job-graph-state" x={at.x + 12} y={at.y + 35}>
            {label}
            {count}
          </text>
        </a>
      )
    })}
  </>
)

/** Nothing for a single job, which the list shows as well. */
export const JobGraph = ({
  repo,
  run,
  jobs,
}: {
  repo: string
  run: string
  jobs: readonly WorkflowJob[]
}) => {
  const nodes = nodesOf(jobs)
  if (nodes.length < 2 || !nodes.some(({ level }) => level > 0)) return null
  const columns = Map.groupBy(nodes, ({ level }) => level)
  const place = new Map(
    [...columns].flatMap(([level, column]) =>
      column.map((node, row) => [
        node.id,
        { x: level * (BOX_WIDTH + GAP_X) + 1, y: row * (BOX_HEIGHT + GAP_Y) + 1 },
      ]),
    ),
  )
  const width = columns.size * (BOX_WIDTH + GAP_X) - GAP_X + 2
  const tallest = Math.max(...[...columns.values()].map((column) => column.length))
  const height = tallest * (BOX_HEIGHT + GAP_Y) - GAP_Y + 2
  return (
    <section class="job-graph" tabindex="0" aria-label={t('Jobs and what they need')}>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group">
        <Lines nodes={nodes} place={place} />
        <Boxes nodes={nodes} place={place} repo={repo} run={run} />
      </svg>
    </section>
  )
}
