/**
 * The vectors of GitHub's workflow parser (`test/fixtures/actions/reader`), through our reader and
 * our model. Its TypeScript package skips 93 of them (`skipped-tests.txt`); they are compared as
 * well. `DIFFERENT` lists each one whose errors differ from ours, with what we do.
 */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scalarText, type Json, type JsonObject } from '#src/actions/json.ts'
import type { Step, Workflow, WorkflowJob } from '#src/actions/model.ts'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'
import { formatCall } from '#src/actions/condition.ts'
import { segmentsOf } from '#src/actions/template.ts'

const FOLDER = join(import.meta.dir, '../fixtures/actions/reader')

/** Judged when a run is planned, because the called file is read then (`decide.test.ts`). */
const PLANNED = 'told when the run is planned, by faultOfCall'
/** Words of the message differ, or where it points; the file is refused in the same line. */
const WORDS = 'refused with other words'
const LIMIT = 'a limit that the test sets for itself; ours are larger'

const DIFFERENT: Readonly<Record<string, string>> = {
  'background-steps':
    'an experiment of GitHub that is refused here: background, wait and cancel of steps',
  'errors-anchor-tag': 'anchors are read, as GitHub does since 2025',
  'errors-expressions': WORDS,
  'errors-invalid-mapping-key': WORDS,
  'errors-job-concurrency': WORDS,
  'errors-job-id-format': WORDS,
  'errors-job-runs-on-group-invalid-prefix':
    'groups of runners are a warning, whatever their names',
  'errors-matrix-max-depth': LIMIT,
  'errors-max-depth': LIMIT,
  'errors-max-file-size': LIMIT,
  'errors-max-job-limit-with-reusable-workflow': LIMIT,
  'errors-max-result-size': LIMIT,
  'errors-parse-boolean': WORDS,
  'errors-parse-float': WORDS,
  'errors-parse-integer': WORDS,
  'errors-reusable-workflow-job-inputs-required': PLANNED,
  'errors-reusable-workflow-job-inputs-type-mismatch': PLANNED,
  'errors-reusable-workflow-job-inputs-undefined': PLANNED,
  'errors-reusable-workflow-job-nested-depth-exceeded': LIMIT,
  'errors-reusable-workflow-job-nested-permissions-not-allowed-job-level-from-caller-job-level':
    PLANNED,
  'errors-reusable-workflow-job-nested-permissions-not-allowed-job-level-from-caller-workflow-level':
    PLANNED,
  'errors-reusable-workflow-job-nested-permissions-not-allowed-workflow-level-from-caller-job-level':
    PLANNED,
  'errors-reusable-workflow-job-nested-permissions-not-allowed-workflow-level-from-caller-workflow-level':
    PLANNED,
  'errors-reusable-workflow-job-secrets-required': PLANNED,
  'errors-reusable-workflow-job-secrets-undefined': PLANNED,
  'errors-reusable-workflow-max-result-size': LIMIT,
  'errors-reusable-workflow-permissions-not-allowed-job-level-from-caller-default': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-job-level-from-caller-job-level': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-job-level-from-caller-workflow-level': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-actions-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-checks-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-contents-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-deployments-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-discussions-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-id-token-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-issues-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-packages-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-pages-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-pull-requests-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-read-all-allowed-none': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-repository-projects-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-security-events-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-statuses-write': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-write-all-allowed-none': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-request-write-all-allowed-read-all': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-workflow-level-from-caller-default': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-workflow-level-from-caller-job-level': PLANNED,
  'errors-reusable-workflow-permissions-not-allowed-workflow-level-from-caller-workflow-level':
    PLANNED,
  'errors-step-id': WORDS,
  'errors-step-run-exceeds-length':
    'long scripts with expressions are read; a script has at most 210,000 characters',
  'errors-step-uses-syntax': WORDS,
  'errors-unclosed-tokens': WORDS,
  'errors-yaml-invalid-style': 'a quoted number under !!int is read as the number',
  'errors-yaml-tags-explicit-unsupported': 'refused as a kind of value that workflows do not have',
  'events-single-invalid':
    'unknown keys of workflow_dispatch are warnings, as on-workflow_dispatch-unknown-keys-ignored asks',
  'step-id-generates-when-empty': 'uses names a repository with spaces, which is refused',
  'yaml-schema-str-flow-styles':
    'a quoted text whose next line begins too far left is refused, as YAML 1.2 says',
}

type Vector = { readonly name: string; readonly input: string; readonly expected: JsonObject }

const vectors = readdirSync(FOLDER).map((file): Vector => {
  const parts = readFileSync(join(FOLDER, file), 'utf8').split(/\r?\n---\r?\n/)
  const expected = JSON.parse(parts.at(-1) ?? '') as JsonObject
  return { name: file.replace('.yml', ''), input: parts[1] ?? '', expected }
})

const read = ({ name, input }: Vector) => parseWorkflow(input, `.github/workflows/${name}.yml`)

/** A text as GitHub's tokens have it: one expression, made of the parts with `format`. */
function tokenOf(text: string): string {
  if (!text.includes('${{')) return text
  const segments = segmentsOf(text)
  const [first, ...more] = segments
  if (first?.kind !== 'expression' || more.length > 0) return `<${formatCall(segments)}>`
  const literal = /^'((?:[^']|'')*)'$/.exec(first.text)
  return literal ? (literal[1] ?? '').replaceAll("''", "'") : `<${first.text}>`
}

/** Our values, in a form that both sides have: scalars as text, expressions in angle brackets. */
function ours(value: Json): unknown {
  if (Array.isArray(value)) return value.map((item: Json) => ours(item))
  if (typeof value !== 'object' || value === null) return tokenOf(scalarText(value))
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [tokenOf(key), ours(item)]),
  )
}

type Token = {
  lit?: Json
  bool?: Json
  num?: Json
  expr?: string
  type?: number
  map?: { Key: Json; Value: Json }[]
  seq?: Json[]
}

/** The values of a vector in the same form. */
function theirs(value: Json): unknown {
  if (Array.isArray(value)) return value.map((item: Json) => theirs(item))
  if (typeof value !== 'object' || value === null) return scalarText(value)
  const { lit, bool, num, expr, map, seq, type } = value as unknown as Token
  const scalar = lit ?? bool ?? num
  if (scalar !== undefined) return scalarText(scalar)
  if (expr !== undefined) return `<${expr}>`
  if (seq) return seq.map(theirs)
  if (map) return Object.fromEntries(map.map((one) => [String(theirs(one.Key)), theirs(one.Value)]))
  if (type === 4) return '<insert>'
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, theirs(item as Json)]))
}

const ourStep = (step: Step): Record<string, unknown> => ({
  id: step.id,
  name: ours(step.name),
  if: `<${step.if}>`,
  env: ours(step.env),
  'continue-on-error': ours(step.continueOnError),
  'timeout-minutes': ours(step.timeoutMinutes),
  ...(step.kind === 'run'
    ? {
        run: ours(step.run),
        shell: ours(step.shell),
        'working-directory': ours(step.workingDirectory),
      }
    : { uses: step.uses, with: ours(step.with) }),
})

const ourJob = (job: WorkflowJob): Record<string, unknown> => ({
  id: job.id,
  name: ours(job.name === null || job.name === '' ? job.id : job.name),
  needs: job.needs,
  if: `<${job.if}>`,
  concurrency: ours(job.concurrency),
  ...(job.kind === 'call'
    ? { ref: job.uses, 'input-values': ours(job.with) }
    : {
        'runs-on': ours(job.runsOn),
        env: ours(job.env),
        environment: ours(job.environment),
        container: ours(job.container),
        services: ours(job.services),
        outputs: ours(job.outputs),
        'timeout-minutes': ours(job.timeoutMinutes),
        'continue-on-error': ours(job.continueOnError),
      }),
})

/** Every property of a vector's job that our model has too, from both sides. */
function compareJob(job: WorkflowJob | undefined, expected: JsonObject): unknown[] {
  if (!job) return [[expected.id, 'is missing']]
  const differences: unknown[] = []
  const compare = (mine: Record<string, unknown>, wanted: JsonObject): void => {
    for (const [key, value] of Object.entries(mine)) {
      if (!Object.hasOwn(wanted, key)) continue
      // The end of the input is the end of the last script, whose newline was cut off with it.
      const want = theirs(wanted[key] ?? null)
      if (key === 'run' && value === `${String(want)}\n`) continue
      if (!Bun.deepEquals(value, want)) differences.push([job.id, key, value, want])
    }
  }
  compare(ourJob(job), expected)
  const steps = (expected.steps ?? []) as unknown as JsonObject[]
  if (job.kind === 'steps') {
    if (expected.steps && job.steps.length !== steps.length) differences.push([job.id, 'steps'])
    job.steps.forEach((step, index) => compare(ourStep(step), steps[index] ?? {}))
  }
  return differences
}

const messagesOf = (expected: JsonObject): string[] =>
  ((expected.errors ?? []) as unknown as { Message: string }[]).map(({ Message }) => Message)

const ourMessages = (vector: Vector): string[] =>
  read(vector).problems.map(
    ({ file, line, column, text }) => `${file} (Line: ${line}, Col: ${column}): ${text}`,
  )

test('there are all of them', () => {
  expect(vectors.length).toBe(195)
  expect(readFileSync(join(FOLDER, '../skipped-tests.txt'), 'utf8').trim().split('\n').length).toBe(
    93,
  )
})

describe('errors', () => {
  const isSame = (vector: Vector): boolean =>
    Bun.deepEquals(ourMessages(vector), messagesOf(vector.expected))

  test('are those of GitHub, in its words and places, but for the list', () => {
    const different = vectors.filter((vector) => !isSame(vector)).map(({ name }) => name)
    expect(different.sort()).toEqual(Object.keys(DIFFERENT).sort())
  })

  test('with other words are in the same line', () => {
    const lineOf = (message = ''): string | undefined =>
      / \(Line: (\d+)/.exec(message)?.[1] ?? / on line (\d+) /.exec(message)?.[1]
    const moved = vectors
      .filter(({ name }) => DIFFERENT[name] === WORDS)
      .filter((vector) => lineOf(ourMessages(vector)[0]) !== lineOf(messagesOf(vector.expected)[0]))
    expect(moved.map(({ name }) => name)).toEqual([])
  })
})

describe('models', () => {
  const readable = vectors.filter((vector) => vector.expected.jobs && read(vector).workflow)

  test('have the jobs, steps, conditions and expressions of the vectors', () => {
    const differences = readable.flatMap((vector) => {
      const { jobs } = read(vector).workflow as Workflow
      const expected = vector.expected.jobs as unknown as JsonObject[]
      const found = expected.flatMap((one) =>
        compareJob(
          jobs.find(({ id }) => id === theirs(one.id ?? null)),
          one,
        ),
      )
      return found.map((difference) => [vector.name, difference])
    })
    expect(differences).toEqual([])
  })

  test('are made for every vector without errors, but for those in the list', () => {
    const missing = vectors.filter(
      (vector) => messagesOf(vector.expected).length === 0 && !read(vector).workflow,
    )
    expect(missing.filter(({ name }) => !DIFFERENT[name])).toEqual([])
  })
})
