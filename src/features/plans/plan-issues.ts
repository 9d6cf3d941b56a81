/** The issues of a plan: how they are given, and what they may depend on. */
import { OneOf, Type, type Static } from '#core/schema.ts'
import {
  BodyInput,
  ChecksInput,
  LabelsInput,
  manyLines,
  oneLine,
  TitleInput,
  validChecks,
} from '#features/issues/index.ts'
import { invalid } from '#lib/errors.ts'
import { MAX_ISSUES, MAX_PATHS, SIZES, type PlanIssue } from './schema.ts'

const PlanIssueInput = Type.Object({
  position: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'What depends_on of others means; its place in the list unless given.',
    }),
  ),
  title: TitleInput,
  body: Type.Optional(BodyInput),
  labels: Type.Optional(LabelsInput),
  checks: Type.Optional(ChecksInput),
  depends_on: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 10_000 }), {
      maxItems: MAX_ISSUES,
      description: 'Positions of issues that must close first.',
    }),
  ),
  paths: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1_000 }), {
      maxItems: MAX_PATHS,
      description: 'Files that are expected to change.',
    }),
  ),
  size: Type.Optional(OneOf(SIZES, { description: 'medium unless given.' })),
})

export const PlanIssuesInput = Type.Array(PlanIssueInput, {
  minItems: 1,
  maxItems: MAX_ISSUES,
  description: 'The issues in the order in which they are opened.',
})

type Given = Static<typeof PlanIssueInput>

/**
 * The issues of a plan with positions from 1 in their order. Throws 422 for a text that no issue
 * takes, an unknown or repeated position, and for issues that wait for each other.
 */
export function readPlanIssues(given: readonly Given[]): PlanIssue[] {
  const places = new Map<number, number>()
  for (const [at, { position = at + 1 }] of given.entries()) {
    if (places.has(position))
      throw invalid(`issues[${at}].position`, `position ${position} is there twice`)
    places.set(position, at + 1)
  }
  const issues = given.map((issue, at): PlanIssue => {
    const field = (name: string) => `issues[${at}].${name}`
    const depends_on = (issue.depends_on ?? []).map((position) => {
      const place = places.get(position)
      if (place === undefined)
        throw invalid(field('depends_on'), `there is no issue at position ${position}`)
      return place
    })
    return {
      position: at + 1,
      title: oneLine(field('title'), issue.title),
      body: manyLines(field('body'), issue.body ?? ''),
      labels: [...new Set(issue.labels ?? [])],
      checks: validChecks(issue.checks ?? []),
      depends_on: [...new Set(depends_on)].sort((a, b) => a - b),
      paths: [...new Set((issue.paths ?? []).map((path) => oneLine(field('paths'), path)))],
      size: issue.size ?? 'medium',
      kept: null,
      number: null,
    }
  })
  const circle = findCircle(issues)
  if (circle !== null)
    throw invalid(
      `issues[${circle - 1}].depends_on`,
      `the issue at position ${circle} waits for itself, directly or through others`,
    )
  return issues
}

/** The position of an issue that waits for itself; null when none does. */
function findCircle(issues: readonly PlanIssue[]): number | null {
  const open = new Set(issues.map(({ position }) => position))
  for (let before = -1; before !== open.size; ) {
    before = open.size
    for (const { position, depends_on } of issues)
      if (open.has(position) && !depends_on.some((one) => open.has(one))) open.delete(position)
  }
  const [first] = open
  return first ?? null
}

/** How deep each issue stands: 0 waits for nothing, others one below the deepest they wait for. */
export function depthsOf(issues: readonly PlanIssue[]): Map<number, number> {
  const depths = new Map<number, number>()
  const depthOf = (position: number): number => {
    const known = depths.get(position)
    if (known !== undefined) return known
    const { depends_on = [] } = issues.find((issue) => issue.position === position) ?? {}
    const depth = depends_on.length === 0 ? 0 : 1 + Math.max(...depends_on.map(depthOf))
    depths.set(position, depth)
    return depth
  }
  for (const { position } of issues) depthOf(position)
  return depths
}
