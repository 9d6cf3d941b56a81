// The content of files whose conflicts are resolved in a form.
import type { ConflictFile, ConflictPart } from '#features/pulls/index.ts'
import { diffAnchor } from '../../components/index.ts'
import { hashText } from '../../format.ts'
import type { Fields } from '../../site.ts'

export const CHOICES = ['head', 'base', 'both', 'hand'] as const
type Choice = (typeof CHOICES)[number]

export type Conflict = NonNullable<ConflictPart['conflict']>

/** The text of a conflict that is edited by hand, without the end of its last line. */
export const bothSides = ({ head, base }: Conflict): string =>
  `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${base}`

/**
 * The names of the fields of a file and of its conflicts, in order. They are made from the content,
 * so that a choice stays with its conflict when the branches have moved.
 */
export function fieldNames(file: ConflictFile): { file: string; conflicts: string[] } {
  const seen = new Map<string, number>()
  const conflicts = (file.parts ?? []).flatMap(({ conflict }) => {
    if (conflict === null) return []
    const key = `${diffAnchor(file.path)}-${hashText(JSON.stringify(conflict)).toString(36)}`
    const count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    return `${key}-${count}`
  })
  return { file: diffAnchor(file.path), conflicts }
}

export const choiceOf = (fields: Fields, name: string): Choice | null =>
  CHOICES.find((choice) => choice === fields.text(`take-${name}`)) ?? null

/** The lines that a choice gives for one conflict. */
function resolveConflict(
  conflict: Conflict,
  choice: Choice,
  typed: string,
  isLast: boolean,
): string {
  if (choice === 'head') return conflict.head
  if (choice === 'base') return conflict.base
  if (choice === 'both') return bothSides(conflict)
  if (typed === '') return ''
  const sides = [conflict.head, conflict.base].filter((side) => side !== '')
  const text = isLast && !sides.some((side) => side.endsWith('\n')) ? typed : `${typed}\n`
  // Browsers send lines without the carriage return that those of the file have.
  const hasCrlf = sides.length > 0 && sides.every((side) => side.includes('\r\n'))
  return hasCrlf ? text.replaceAll('\n', '\r\n') : text
}

export type Resolution = { path: string; take?: 'head' | 'base'; content?: string }

/** What the form says about a file. Null while a choice is missing. */
export function resolutionOf(file: ConflictFile, fields: Fields): Resolution | null {
  const names = fieldNames(file)
  const { path, parts } = file
  if (parts === null) {
    const take = choiceOf(fields, names.file)
    return take === 'head' || take === 'base' ? { path, take } : null
  }
  let content = ''
  let index = 0
  for (const [at, { merged, conflict }] of parts.entries()) {
    if (conflict === null) {
      content += merged ?? ''
      continue
    }
    const name = names.conflicts[index++] ?? ''
    const choice = choiceOf(fields, name)
    if (choice === null) return null
    const typed = fields.text(`text-${name}`)
    content += resolveConflict(conflict, choice, typed, at === parts.length - 1)
  }
  return { path, content }
}
