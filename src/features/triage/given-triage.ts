/**
 * The proposals as a model hands them in. It may have obeyed the text of a stranger, so each must be
 * one of the choices that it was given, and a question must be plain text.
 */
import { isValid, OneOf, Type, type Static } from '#core/schema.ts'
import type { ChatTool } from '#features/models/index.ts'
import { SEVERITIES, type TriageProposal } from './schema.ts'

const MAX_LABELS = 5
const MAX_DUPLICATES = 3
const MAX_REASON_CHARS = 300
const MAX_QUESTION_CHARS = 500

const Reason = Type.String({ maxLength: 2_000, description: 'Why, in one short sentence.' })

const GivenTriage = Type.Object({
  labels: Type.Array(Type.Object({ name: Type.String({ maxLength: 200 }), reason: Reason }), {
    maxItems: 20,
    description: `At most ${MAX_LABELS}, of the labels that you were given.`,
  }),
  duplicates: Type.Array(Type.Object({ number: Type.Integer(), reason: Reason }), {
    maxItems: 20,
    description: `At most ${MAX_DUPLICATES}, of the issues that you were given.`,
  }),
  severity: Type.Optional(Type.Object({ value: OneOf(SEVERITIES), reason: Reason })),
  question: Type.Optional(
    Type.Object({
      text: Type.String({
        maxLength: 4_000,
        description: `What the author should be asked, in plain text of at most ${MAX_QUESTION_CHARS} characters without links and names.`,
      }),
      reason: Reason,
    }),
  ),
})
export type GivenTriage = Static<typeof GivenTriage>

export const TRIAGE_TOOL: ChatTool = {
  type: 'function',
  function: {
    name: 'propose',
    description: 'Hands in the proposals for the issue.',
    parameters: GivenTriage as unknown as Record<string, unknown>,
  },
}

/** Reads proposals; a text says what is wrong with them. */
export function readGiven(given: string): GivenTriage | string {
  let parsed: unknown
  try {
    parsed = JSON.parse(given)
  } catch {
    return 'the proposals are not JSON'
  }
  return isValid(GivenTriage, parsed)
    ? parsed
    : 'the proposals do not have the shape of the tool: labels and duplicates as lists, severity and question only where you have one'
}

/** Characters that text cannot show, and those that change its direction. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]+/gu

const plain = (text: string, maxChars: number): string =>
  text.toWellFormed().replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim().slice(0, maxChars)

/** Links, images, HTML, mentions and references: what a comment would make live. */
const LIVE = /[<>@#[\]`|]|:\/\/|\bwww\.|\bmailto:/i

/** What a model may choose from. */
export type Choices = {
  readonly labels: ReadonlyMap<string, string>
  readonly issues: ReadonlySet<number>
}

export type NewProposal = Pick<TriageProposal, 'kind' | 'reason'> & { readonly value: string }

/** Keeps what is one of the choices. `keyOf` is how names of labels are compared. */
export function proposalsOf(
  { labels, duplicates, severity, question }: GivenTriage,
  choices: Choices,
  keyOf: (name: string) => string,
): NewProposal[] {
  const found = new Map<string, NewProposal>()
  const add = (kind: NewProposal['kind'], value: string, reason: string): void => {
    if (!found.has(`${kind} ${value}`))
      found.set(`${kind} ${value}`, { kind, value, reason: plain(reason, MAX_REASON_CHARS) })
  }
  for (const { name, reason } of labels) {
    const label = choices.labels.get(keyOf(name))
    if (label !== undefined) add('label', label, reason)
    if (found.size === MAX_LABELS) break
  }
  const withLabels = found.size
  for (const { number, reason } of duplicates) {
    if (choices.issues.has(number)) add('duplicate', String(number), reason)
    if (found.size === withLabels + MAX_DUPLICATES) break
  }
  if (severity) add('severity', severity.value, severity.reason)
  const asked = question && plain(question.text, MAX_QUESTION_CHARS)
  if (asked && !LIVE.test(asked)) add('question', asked, question.reason)
  return [...found.values()]
}
