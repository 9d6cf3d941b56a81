/** Texts of another forge, in the form that texts have here. They are shortened, never refused. */
import { MAX_BODY_LENGTH } from '../inputs.ts'

const CUT_MARK = '\n\n… (the import cut the rest)'

/** The first code points of a text; a longer one ends with a note. */
export function cutTo(text: string, max: number): string {
  if (text.length <= max) return text
  const points = [...text.slice(0, max * 2)]
  return points.length <= max
    ? text.slice(0, max * 2)
    : `${points.slice(0, max - CUT_MARK.length).join('')}${CUT_MARK}`
}

/** Text of any number of lines. */
export const importedText = (text: string): string =>
  cutTo(text.toWellFormed().replaceAll('\0', '').replaceAll('\r\n', '\n'), MAX_BODY_LENGTH)

/** One line that is not empty. */
export function importedLine(text: string, max: number): string {
  const line = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim()
  return [...line.slice(0, max * 2)].slice(0, max).join('').trim() || '(untitled)'
}
