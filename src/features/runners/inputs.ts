/** Inputs of the operations of runners. */
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { oneLine } from '#lib/one-line.ts'

const MAX_LABELS = 50
/** A label: no spaces, commas or colons, which command lines of runners divide labels with. */
const LABEL = /^[^\s,:]{1,100}$/

export const RunnerId = Type.String({ minLength: 1, maxLength: 100, description: 'rnr_…' })

export const runnerInputs = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'What people call the machine.' }),
  labels: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: MAX_LABELS,
      description: 'Of the labels that the runner declares, only these count; none means all.',
    }),
  ),
  ephemeral: Type.Optional(Type.Boolean({ description: 'Remove it after one job.' })),
  accepts_untrusted: Type.Optional(
    Type.Boolean({
      description:
        'Let it run approved changes by people without Write. Only for machines that are thrown away after each job.',
    }),
  ),
}

export function readRunnerName(name: string): string {
  const text = oneLine(name, 100)
  if (text === '') throw invalid('name', 'the name of the runner is required')
  return text
}

/** The stored form: in lower case, each once. Throws 422 for a text that is no label. */
export function readLabels(labels: readonly string[]): string[] {
  const wrong = labels.findIndex((label) => !LABEL.test(label))
  if (wrong >= 0)
    throw invalid(
      `labels[${wrong}]`,
      'a label has no spaces, commas or colons: give ubuntu-latest, not ubuntu-latest:host',
    )
  return [...new Set(labels.map((label) => label.toLowerCase()))]
}

/** The labels that a runner declares. What is no label is left out. */
export const declaredLabels = (labels: readonly string[]): string[] => [
  ...new Set(
    labels
      .slice(0, MAX_LABELS)
      // Some versions send `ubuntu-latest:host` as it was given on the command line.
      .map((label) => label.split(':')[0]?.toLowerCase() ?? '')
      .filter((label) => LABEL.test(label)),
  ),
]
