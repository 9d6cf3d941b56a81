/** Conditions (`if`) as one expression that always asks for a status. */
import { asksForStatus, ExpressionFault, parseExpression, type Vocabulary } from './expression.ts'
import { hasExpression, segmentsOf } from './template.ts'

const JOB_CONTEXTS = ['github', 'inputs', 'vars', 'needs']
const STEP_CONTEXTS = [...JOB_CONTEXTS, 'strategy', 'matrix', 'steps', 'job', 'runner', 'env']
const STATUS = ['success', 'failure', 'always', 'cancelled']

/** Where a condition may stand, and what it may read there. */
export const JOB_CONDITION: Vocabulary = { contexts: JOB_CONTEXTS, functions: STATUS }
export const STEP_CONDITION: Vocabulary = {
  contexts: STEP_CONTEXTS,
  functions: [...STATUS, 'hashFiles'],
}

export type Condition = {
  readonly expression: string
  /** Whether text outside of the braces makes it true always, as GitHub evaluates it. */
  readonly isAlwaysTrue: boolean
}

/**
 * A condition without a status function is `success() && (…)`. Throws ExpressionFault when it cannot
 * be read there.
 */
export function readCondition(text: string | null, vocabulary: Vocabulary): Condition {
  const { source, isAlwaysTrue } = sourceOf((text ?? '').trim())
  const parsed = source === '' ? null : parseExpression(source, vocabulary)
  if (!parsed) return { expression: 'success()', isAlwaysTrue: false }
  const expression = asksForStatus(parsed) ? source : `success() && (${source})`
  if (expression.length > MAX_CONDITION)
    throw new ExpressionFault(`A condition has at most ${MAX_CONDITION} characters`)
  return { expression, isAlwaysTrue }
}

/** The package's own limit is 21,000, and what is added counts. */
const MAX_CONDITION = 20_000

function sourceOf(text: string): { source: string; isAlwaysTrue: boolean } {
  if (!hasExpression(text)) return { source: text, isAlwaysTrue: false }
  const segments = segmentsOf(text)
  const [first, ...more] = segments
  if (first?.kind === 'expression' && more.length === 0)
    return { source: first.text, isAlwaysTrue: false }
  // GitHub makes `${{ a }} == 'b'` a text, which is true whatever `a` is.
  return { source: formatCall(segments), isAlwaysTrue: true }
}

/** `format('…{0}…', a)`: the expression whose value is the text with its expressions replaced. */
export function formatCall(segments: ReturnType<typeof segmentsOf>): string {
  const values: string[] = []
  const pattern = segments.map((segment) => {
    if (segment.kind === 'expression') return `{${values.push(segment.text) - 1}}`
    return segment.text.replaceAll("'", "''").replaceAll('{', '{{').replaceAll('}', '}}')
  })
  return `format('${pattern.join('')}'${values.map((value) => `, ${value}`).join('')})`
}
